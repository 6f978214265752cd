// Reads answers with the npm package @ai-sdk-tool/parser, in whose folder it is run.
// Gets {"tools": […], "answers": [[chunk, …], …]} on standard input. Gives for each answer: its text, its calls, how long
// that took, and how long a stream took that passes the same chunks on, both in milliseconds.
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "index.js"));
const { hermesProtocol } = await import(pathToFileURL(require.resolve("@ai-sdk-tool/parser")));
const { tools, answers } = JSON.parse(await text(process.stdin));
const known = tools.map(({ name, parameters }) => ({ type: "function", name, inputSchema: parameters }));
const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens: {}, outputTokens: {} } };

function stream(chunks, wrapped, last) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < chunks.length) return controller.enqueue(wrapped(chunks[at++]));
      if (last) controller.enqueue(last);
      controller.close();
    },
  });
}

async function timed(parts, seen) {
  const start = performance.now();
  for await (const part of parts) seen(part);
  return performance.now() - start;
}

async function answer(chunks) {
  const found = { text: "", calls: [] };
  const parser = hermesProtocol().createStreamParser({ tools: known });
  const parts = stream(chunks, (delta) => ({ type: "text-delta", id: "1", delta }), finish).pipeThrough(parser);
  found.ms = await timed(parts, (part) => {
    if (part.type === "text-delta") found.text += part.delta;
    if (part.type === "tool-call") found.calls.push([part.toolName, part.input]);
  });
  const passed = stream(chunks, (delta) => delta).pipeThrough(new TransformStream());
  found.passed_ms = await timed(passed, () => {});
  return found;
}

const found = [];
for (const chunks of answers) found.push(await answer(chunks));
console.log(JSON.stringify(found));
