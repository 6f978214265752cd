"""Texts that try to leave their place: pieces of brackets, escapes, names, headings, joined in any order."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = (
    *("context-from-knowledge-base", "web-search-result", "tool-output", "conversation-summary", "excerpt"),
    *("source-message", "uploaded-data-preview", "user-selected-skills", "user-selected-skill"),
)
HEADINGS = ("## Trust boundary", "## Tool guidance", "## Skills", '## Project ("{name}")', "## 信任边界")

BRACKETS = (*"<[&%=\\/|!?>]", "</", "‹", "«", "⟨", "〈", "《", "＜", "≪", "≮", "⟦", "⟧", "＆", "＃", "；", "＼", "％")
ESCAPES = (
    "&lt;", "&LT", "&lt", "&Lt;", "&lang;", "&nvlt;", "&amp;", "&amp;lt;", "&#60;", "&#x3C;",
    "&#0060", "&#38;lt;", "&#",
    "&#6", "&#x", "&#\n", "&&", "&#116;", "t&#111;ol", "\\x3c", "\\u003c", "\\u{3c}", "\\74",
    "\\074", "\\\\", "\\/", "\\n",
    "%3c", "%3C", "%253c", "%25", "%E2%80%B9", "%C2%AB", "%2566", "=3C", "=E2=80=B9", "==", "=\n", "=\r\n", "=3\t",
    "⟦U+003C⟧", "⟦U+", "003C⟧", "⟦U+1F600⟧", "⟦U+3C⟧",
)  # fmt: skip
NAMES = (
    "tool", "-", "_", "output", "ool-output", "tool-output", "Tool Output", "TOOL", "t00l", "l", "i", "1", "0", "ex",
    "cerpt", "excerpt", "source-message", "context-from-knowledge-base", "system", "system-reminder", "system_error",
    "tool_call", "x:", "invoke", "function=", "parameter=", "<|", "|>", "im_start", "<|im_start|>", "|im_end", "INST",
    "[INST]", "inst", "SYSTEM_PROMPT", "<<SYS>>", "SYS", "<s>", "</s>", "<skill", "skill>", "dsml", "eot_id", "pad",
    "ｔｏｏｌ", "т", "о", "ﬆ", "㎜", "№", "ß", "é", "ｘ", "６", "０", "\U0001d42d", "т\u0301",
)  # fmt: skip
HIDDEN = (
    "\u200b", "\u2060", "\u200d", "\u200c", "\ufe0f", "\ufe00", "\u202e", "\u2011", "\u00a0",
    "\u2028", "\x85", "\ud83d",
    "\ude00", "\x00", "\x1b", "\U000e0041", "\U000e0067", "\U000e007f", "\u0301", "\u2800", " ",
    "\t", "\n", "\r", "\r\n",
)  # fmt: skip
LINES = (
    "## ", "# ", "> ", "- ", "**", "`", "Trust boundary", "Tool guidance", "Skills", "信任边界", ".",
    ":", "[7]", "7", "]",
    "[CURRENT]", "CONTEXT-DEPENDENT", "…", "…(truncated)", "(truncated", '"', "'", "; ", ": ",
    "{name}", "a", "中", "م",
    "\U0001f468", "\U0001f3f4", "user:",
)  # fmt: skip

PIECES = st.sampled_from((*BRACKETS, *ESCAPES, *NAMES, *HIDDEN, *LINES))
HOSTILE = st.lists(PIECES | st.characters(exclude_categories=()), max_size=24).map("".join)
"""Texts of up to a few hundred characters, lone surrogates included."""
