"""The wrapper functions, on the wire."""

import litellm
import pytest

import promptmw_litellm
from promptmw import InputError, Pipeline, SectionError, Tool, ToolModeError, Turn, hookimpl
from promptmw_plugins.material import WebResult
from promptmw_plugins.summary import Summary

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "python_execute", "parameters": {"type": "object", "properties": {}}}}
SAID = "Hello, here is what the test server says to you."


def test_a_call_with_positional_arguments_is_assembled(native_server, chat, pipeline, nova):
    """LS4"""
    model = chat.pop("model")
    answer = promptmw_litellm.completion(model, HI, pipeline=pipeline, turn=nova, **chat)
    system, user = native_server.last.body["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith("You are Nova")
    assert user == HI[0]
    assert answer.choices[0].message.content == SAID


async def test_an_async_call_with_positional_arguments_is_assembled(native_server, chat, pipeline, nova):
    """LS4"""
    model = chat.pop("model")
    await promptmw_litellm.acompletion(model, HI, pipeline=pipeline, turn=nova, **chat)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")


def test_parameters_and_unknown_keywords_reach_the_server(native_server, chat, pipeline, nova):
    promptmw_litellm.completion(
        messages=HI, pipeline=pipeline, turn=nova, temperature=0.3, seed=7, extra_body={"custom": 1}, **chat
    )
    body = native_server.last.body
    assert (body["temperature"], body["seed"], body["custom"]) == (0.3, 7, 1)


def test_a_stream_gives_the_inner_chunks_and_tells_the_whole_answer(chat, pipeline, witness, nova):
    stream = promptmw_litellm.completion(messages=HI, stream=True, pipeline=pipeline, turn=nova, **chat)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == SAID
    assert [(a.text, a.complete) for a in witness.answers] == [(SAID, True)]


async def test_an_async_stream_tells_the_servers_counts(native_server, chat, pipeline, witness, nova):
    options = {"include_usage": True}
    call = promptmw_litellm.acompletion(
        messages=HI, stream=True, stream_options=options, pipeline=pipeline, turn=nova, **chat
    )
    chunks = [chunk async for chunk in await call]
    assert chunks
    (answer,) = witness.answers
    assert answer.text == SAID
    assert answer.usage.output_tokens == len(SAID.split())


def test_a_stream_that_is_given_up_is_told_as_unfinished(chat, pipeline, witness, nova):
    stream = promptmw_litellm.completion(messages=HI, stream=True, pipeline=pipeline, turn=nova, **chat)
    next(stream)
    stream.close()
    assert [a.complete for a in witness.answers] == [False]


async def test_an_async_stream_that_is_given_up_is_told_as_unfinished(chat, pipeline, witness, nova):
    stream = await promptmw_litellm.acompletion(messages=HI, stream=True, pipeline=pipeline, turn=nova, **chat)
    await anext(stream)
    await stream.aclose()
    assert [a.complete for a in witness.answers] == [False]


def test_a_stream_keeps_the_attributes_of_litellms_own(chat, pipeline, nova):
    stream = promptmw_litellm.completion(messages=HI, stream=True, pipeline=pipeline, turn=nova, **chat)
    assert stream.custom_llm_provider == "openai"
    assert list(stream)


def test_tool_calls_of_a_stream_are_told(chat, pipeline, witness, nova):
    stream = promptmw_litellm.completion(messages=HI, stream=True, tools=[TOOL], pipeline=pipeline, turn=nova, **chat)
    assert list(stream)
    (call,) = witness.answers[0].tool_calls
    assert (call.name, call.arguments) == ("python_execute", "{}")


def test_a_call_that_fails_is_told_as_unfinished(native_server, chat, pipeline, witness, nova):
    native_server.fail_next(1, 500)
    with pytest.raises(litellm.InternalServerError):
        promptmw_litellm.completion(messages=HI, max_retries=0, pipeline=pipeline, turn=nova, **chat)
    assert [a.complete for a in witness.answers] == [False]


async def test_an_async_call_that_fails_is_told_as_unfinished(native_server, chat, pipeline, witness, nova):
    native_server.fail_next(1, 500)
    with pytest.raises(litellm.InternalServerError):
        await promptmw_litellm.acompletion(messages=HI, max_retries=0, pipeline=pipeline, turn=nova, **chat)
    assert [a.complete for a in witness.answers] == [False]


def test_without_marks_the_system_text_is_a_string(native_server, chat, witness, nova):
    """LS8"""
    cached = Pipeline("chat", settings={"layout": "cache"}, strict=True)
    promptmw_litellm.completion(messages=HI, pipeline=cached, turn=nova, **chat)
    assert isinstance(native_server.last.body["messages"][0]["content"], str)
    assert "cache_control" not in str(native_server.last.body)


def test_leading_system_messages_become_one_and_later_ones_stay(native_server, chat, pipeline, nova):
    """LS10"""
    messages = [
        {"role": "system", "content": "First rule."},
        {"role": "developer", "content": "Second rule."},
        {"role": "user", "content": "Hi"},
        {"role": "system", "content": "Later rule."},
        {"role": "user", "content": "Go on"},
    ]
    promptmw_litellm.completion(messages=messages, pipeline=pipeline, turn=nova, **chat)
    sent = native_server.last.body["messages"]
    assert [m["role"] for m in sent] == ["system", "user", "system", "user"]
    assert "First rule.\n\nSecond rule." in sent[0]["content"]
    assert sent[2]["content"] == "Later rule."


def test_message_objects_in_the_history_stay_as_they_are(native_server, chat, pipeline, nova):
    """LS16"""
    first = promptmw_litellm.completion(messages=HI, tools=[TOOL], pipeline=pipeline, turn=nova, **chat)
    message = first.choices[0].message
    before = message.model_dump()
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "4"}
    promptmw_litellm.completion(messages=[*HI, message, result], tools=[TOOL], pipeline=pipeline, turn=nova, **chat)
    assert message.model_dump() == before
    assert [m["role"] for m in native_server.last.body["messages"]] == ["system", "user", "assistant", "tool"]


def test_the_callers_objects_are_not_changed(chat, pipeline, nova):
    part = {"type": "text", "text": "Look"}
    messages = [{"role": "system", "content": "Mine."}, {"role": "user", "content": [part]}]
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    promptmw_litellm.completion(messages=messages, pipeline=pipeline, turn=turn, **chat)
    assert messages == [{"role": "system", "content": "Mine."}, {"role": "user", "content": [part]}]
    assert part == {"type": "text", "text": "Look"}


def test_a_model_that_the_map_does_not_know_gets_its_tools_natively(native_server, chat, pipeline, nova, capsys):
    """LS17"""
    promptmw_litellm.completion(messages=HI, tools=[TOOL], pipeline=pipeline, turn=nova, **chat)
    assert [t["function"]["name"] for t in native_server.last.body["tools"]] == ["python_execute"]
    assert capsys.readouterr().out == ""


def test_the_map_of_models_knows_who_has_no_function_calling(pipeline, nova):
    with pytest.raises(ToolModeError, match="deepseek-reasoner"):
        promptmw_litellm.prepare(
            model="deepseek/deepseek-reasoner", messages=HI, tools=[TOOL], pipeline=pipeline, turn=nova
        )


def test_the_same_model_without_tools_is_served(native_server, chat, pipeline, nova):
    chat["model_info"] = {"supports_function_calling": False}
    promptmw_litellm.completion(messages=HI, pipeline=pipeline, turn=nova, **chat)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")


@pytest.mark.parametrize("mode", ["none", "auto"])
def test_without_tools_the_request_has_no_tool_parameters(native_server, chat, pipeline, nova, mode):
    """TG11"""
    tools = [TOOL] if mode == "none" else None
    promptmw_litellm.completion(
        messages=HI, tools=tools, tool_choice="auto", parallel_tool_calls=False, tool_mode=mode,
        pipeline=pipeline, turn=nova, **chat,
    )  # fmt: skip
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(native_server.last.body)


def test_tools_go_out_by_name(native_server, chat, pipeline, nova):
    """AG7"""
    named = [{"type": "function", "function": {"name": n, "parameters": {"type": "object"}}} for n in "cab"]
    promptmw_litellm.completion(messages=HI, tools=named, pipeline=pipeline, turn=nova, **chat)
    assert [t["function"]["name"] for t in native_server.last.body["tools"]] == ["a", "b", "c"]


def test_tools_of_which_one_is_marked_stay_in_their_order(pipeline, nova):
    named = [{"name": n, "input_schema": {"type": "object"}} for n in "cab"]
    named[2]["cache_control"] = {"type": "ephemeral"}
    sent = promptmw_litellm.prepare(
        api="messages", model="anthropic/x", messages=HI, tools=named, pipeline=pipeline, turn=nova
    )
    assert [t["name"] for t in sent["tools"]] == ["c", "a", "b"]


def test_the_prompt_knows_the_tools_of_the_request(pipeline, witness, nova):
    tools = [
        TOOL,
        {"name": "fetch_image", "input_schema": {"type": "object"}},
        {"type": "bash_20250124", "name": "bash"},
        {"type": "web_search_20250305", "name": "web_search"},
    ]
    promptmw_litellm.prepare(model="x", messages=HI, tools=tools, pipeline=pipeline, turn=nova)
    assert witness.prompts[0].tools.local == ("bash", "fetch_image", "python_execute")
    assert witness.prompts[0].tools.hosted == ("web_search",)


class Dice:
    """A plugin with a tool."""

    @hookimpl
    def promptmw_tools(self):
        return (Tool(name="dice", description="Rolls a die.", handler=lambda turn, arguments: "4"),)


def test_a_plugins_tool_that_nothing_would_run_is_left_out_and_reported(native_server, chat, witness, nova):
    """PX14, native"""
    offering = Pipeline("chat", plugins=[witness, Dice()], settings={"offer_tools": ["dice"]})
    promptmw_litellm.completion(messages=HI, tools=[TOOL], pipeline=offering, turn=nova, **chat)
    assert [t["function"]["name"] for t in native_server.last.body["tools"]] == ["python_execute"]
    assert witness.prompts[0].tools.local == ("python_execute",)
    assert [p.subject for p in witness.reported] == ["dice"]


def test_responses_take_the_text_as_instructions_and_keep_a_string(native_server, chat, pipeline, nova):
    """LS18"""
    answer = promptmw_litellm.responses("hi", instructions="Be brief.", pipeline=pipeline, turn=nova, **chat)
    body = native_server.last.body
    assert body["instructions"].startswith("You are Nova")
    assert "Be brief." in body["instructions"]
    assert body["input"] == "hi"
    assert answer.output[0].content[0].text == SAID


def test_responses_join_a_block_to_an_input_string(native_server, chat, pipeline, nova):
    """LS18"""
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    promptmw_litellm.responses(input="hi", pipeline=pipeline, turn=turn, **chat)
    sent = native_server.last.body["input"]
    assert isinstance(sent, str)
    assert sent.startswith("hi\n\n")
    assert "A fact." in sent


async def test_responses_merge_leading_items_and_put_blocks_into_input_text(native_server, chat, pipeline, nova):
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    items = [
        {"role": "developer", "content": [{"type": "input_text", "text": "Mine."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "call_id": "c1", "name": "python_execute", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "4"},
    ]
    await promptmw_litellm.aresponses(input=items, pipeline=pipeline, turn=turn, **chat)
    body = native_server.last.body
    assert "Mine." in body["instructions"]
    assert [i.get("role", i.get("type")) for i in body["input"]] == ["user", "function_call", "function_call_output"]
    assert [p["type"] for p in body["input"][0]["content"]] == ["input_text", "input_text"]
    assert "A fact." in body["input"][0]["content"][1]["text"]


def test_with_a_previous_response_only_outputs_get_no_user_message(pipeline, nova, native_server, chat, witness):
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    output = {"type": "function_call_output", "call_id": "c1", "output": "4"}
    promptmw_litellm.responses(input=[output], previous_response_id="resp_1", pipeline=pipeline, turn=turn, **chat)
    assert native_server.last.body["input"] == [output]
    assert native_server.last.body["instructions"].startswith("You are Nova")
    assert [p.subject for p in witness.reported] == ["previous_response_id"]


async def test_a_stream_of_responses_is_told(chat, pipeline, witness, nova):
    stream = await promptmw_litellm.aresponses(input="hi", stream=True, pipeline=pipeline, turn=nova, **chat)
    assert [event async for event in stream]
    (answer,) = witness.answers
    assert (answer.text, answer.complete) == (SAID, True)
    assert answer.usage.output_tokens == len(SAID.split())


def test_a_sync_stream_of_responses_is_told(chat, pipeline, witness, nova):
    stream = promptmw_litellm.responses(input="hi", stream=True, pipeline=pipeline, turn=nova, **chat)
    assert list(stream)
    assert [(a.text, a.complete) for a in witness.answers] == [(SAID, True)]


async def test_messages_take_the_text_as_system(native_server, claude, pipeline, witness, nova):
    system = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    await promptmw_litellm.anthropic_messages(
        max_tokens=50, messages=HI, system=system, pipeline=pipeline, turn=nova, **claude
    )
    body = native_server.last.body
    assert native_server.last.path == "/v1/messages"
    assert body["system"].startswith("You are Nova")
    assert "One.\n\nTwo." in body["system"]
    assert body["messages"] == HI
    assert witness.answers[0].text == SAID


async def test_a_stream_of_messages_is_told(claude, pipeline, witness, nova):
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    tools = [{"name": "python_execute", "input_schema": schema}]
    stream = await promptmw_litellm.anthropic_messages(
        max_tokens=50, messages=[{"role": "user", "content": "Take 5"}], tools=tools, stream=True,
        pipeline=pipeline, turn=nova, **claude,
    )  # fmt: skip
    assert [chunk async for chunk in stream]
    (answer,) = witness.answers
    assert answer.complete
    assert [(c.name, c.arguments) for c in answer.tool_calls] == [("python_execute", '{"x": 5}')]


async def test_in_a_tool_loop_blocks_stay_in_the_users_own_message(native_server, claude, pipeline, nova):
    """LS19"""
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}
    messages = [
        {"role": "user", "content": "What is it?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "python_execute", "input": {}}]},
        {"role": "user", "content": [result]},
    ]
    tools = [{"name": "python_execute", "input_schema": {"type": "object"}}]
    await promptmw_litellm.anthropic_messages(
        max_tokens=50, messages=messages, tools=tools, pipeline=pipeline, turn=turn, **claude
    )
    sent = native_server.last.body["messages"]
    assert "A fact." in str(sent[0]["content"])
    assert sent[2]["content"] == [result]


async def test_results_stay_in_front_of_blocks(native_server, claude, pipeline, nova):
    """LS19"""
    turn = nova.adding(Summary(text="Before."))
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}
    messages = [{"role": "user", "content": [result, {"type": "text", "text": "And now?"}]}]
    sent = promptmw_litellm.prepare(
        api="messages", model="anthropic/x", messages=messages, pipeline=pipeline, turn=turn
    )
    content = sent["messages"][0]["content"]
    assert content[0] == result
    assert "Before." in content[1]["text"]


def test_a_required_section_that_raises_is_our_error(native_server, chat, nova, failing):
    """LS22"""
    with pytest.raises(SectionError, match="failing"):
        promptmw_litellm.completion(messages=HI, pipeline=failing, turn=nova, **chat)
    assert native_server.requests == []


def test_prepare_gives_the_keywords_for_a_sync_router_call(native_server, chat, pipeline, nova):
    """LS23"""
    router = litellm.Router([{"model_name": "assistant", "litellm_params": chat}])
    fields = promptmw_litellm.prepare(model="assistant", messages=HI, temperature=0.1, pipeline=pipeline, turn=nova)
    router.completion(**fields)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")
    assert native_server.last.body["temperature"] == 0.1


async def test_aprepare_gives_the_same(pipeline, nova):
    fields = await promptmw_litellm.aprepare(model="assistant", messages=HI, pipeline=pipeline, turn=nova)
    assert fields == promptmw_litellm.prepare(model="assistant", messages=HI, pipeline=pipeline, turn=nova)


def test_a_request_that_comes_back_assembled_is_not_assembled_twice(pipeline, nova):
    turn = nova.adding(WebResult(text="A fact.", query="q", url="http://x"))
    once = promptmw_litellm.prepare(model="m", messages=HI, pipeline=pipeline, turn=turn)
    twice = promptmw_litellm.prepare(**once, pipeline=pipeline, turn=turn)
    assert twice == once


def test_plain_data_in_the_metadata_states_the_turn_and_is_taken_out(native_server, chat, pipeline):
    data = {"identity": {"label": "Vega"}, "timezone": "UTC"}
    fields = promptmw_litellm.prepare(
        model="m", messages=HI, metadata={"promptmw": data, "other": "kept"}, pipeline=pipeline
    )
    assert fields["messages"][0]["content"].startswith("You are Vega")
    assert fields["metadata"] == {"other": "kept"}


def test_metadata_with_an_unknown_key_is_an_error_that_names_the_nearest(pipeline):
    with pytest.raises(InputError, match="Did you mean 'identity'"):
        promptmw_litellm.prepare(model="m", messages=HI, metadata={"promptmw": {"identiti": {}}}, pipeline=pipeline)


def test_a_function_of_the_keywords_gives_the_turn(pipeline, nova):
    fields = promptmw_litellm.prepare(
        model="m", messages=HI, user="u7", pipeline=pipeline,
        turn=lambda kw: nova if kw["user"] == "u7" else Turn(),
    )  # fmt: skip
    assert fields["messages"][0]["content"].startswith("You are Nova")


def test_a_function_that_returns_none_leaves_the_call_as_it_is(native_server, chat, pipeline, witness):
    promptmw_litellm.completion(messages=HI, pipeline=pipeline, turn=lambda kw: None, **chat)
    assert native_server.last.body["messages"] == HI
    assert witness.prompts == witness.answers == []


def test_a_function_that_returns_something_else_is_an_error(pipeline):
    with pytest.raises(InputError, match="a Turn or None, not dict"):
        promptmw_litellm.prepare(model="m", messages=HI, pipeline=pipeline, turn=lambda kw: {})


def test_the_providers_prefix_is_not_needed_and_taken_off(native_server, chat, pipeline, nova):
    chat["model"] = "promptmw/openai/small"
    promptmw_litellm.completion(messages=HI, pipeline=pipeline, turn=nova, **chat)
    assert native_server.last.body["model"] == "small"
    assert len(native_server.requests) == 1


def test_without_a_pipeline_the_installed_chat_profile_is_used(native_server, chat, nova):
    promptmw_litellm.completion(messages=HI, turn=nova, **chat)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")
