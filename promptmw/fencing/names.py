"""Names that are reserved wherever somebody else's text stands, beside the tags of our own fences."""

FOREIGN = (
    "system", "system-reminder", "system-message", "assistant", "developer", "tool_call", "tool_calls", "tool_use",
    "tool_code", "tool_response", "tool_result", "tool_results", "tool_error", "tool_output", "tool_outputs",
    "function_call", "function_calls", "function_result", "function_results", "invoke", "think", "thinking",
    "start_of_turn", "end_of_turn",
)  # fmt: skip
"""Tags that other harnesses and models give a meaning to."""

ASSIGNED = ("function", "parameter")
"""Tags with an equals sign and a name behind them."""

TOKENS = (
    "im_start", "im_end", "im_sep", "endoftext", "endofprompt", "begin_of_text", "end_of_text", "start_header_id",
    "end_header_id", "eot_id", "eom_id", "python_tag", "begin_of_sentence", "end_of_sentence", "turn", "start", "end",
    "message", "channel", "constrain", "call", "return", "system", "user", "assistant", "observation", "tool", "think",
    "tool_call", "tool_calls", "fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "eos", "bos", "pad", "dsml",
    "open", "close", "sep",
)  # fmt: skip
"""Control tokens of chat templates: a bar on one side is enough."""

EXACT = ("s", "bos", "eos", "unk", "pad", "mask")
"""Control tokens that are short words in angle brackets; only in this very spelling."""

SQUARE = (
    "INST", "SYSTEM_PROMPT", "TOOL_CALLS", "AVAILABLE_TOOLS", "TOOL_RESULTS", "TOOL_CONTENT", "MODEL_SETTINGS",
)  # fmt: skip
"""Control tokens in square brackets, without a small letter."""
