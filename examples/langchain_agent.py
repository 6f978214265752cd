"""Shows a LangChain agent whose prompt is assembled for each user, with a tool of its own.

Needs OPENAI_API_KEY, or OPENAI_BASE_URL of any server that speaks the same API.

    uv run python examples/langchain_agent.py
"""

from dataclasses import dataclass

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from promptmw import Pipeline, Turn
from promptmw_langchain import PromptMiddleware
from promptmw_plugins.identity import Identity
from promptmw_plugins.persona import Persona


@dataclass
class User:
    """Is what the application knows of who is asking."""

    name: str
    locale: str


@tool
def frost_free_days(place: str) -> str:
    """Looks up how many days a place has between the last frost of spring and the first of autumn."""
    return f"{place}: 171 days"


def facts(request: ModelRequest) -> Turn:
    """Returns the turn of a request: the same agent, another prompt for each user."""
    user: User = request.runtime.context
    return Turn(Identity(label="Nova"), Persona(nickname=user.name, traits=("concise",)), locale=user.locale)


agent = create_agent(
    ChatOpenAI(model="gpt-4o-mini"),
    tools=[frost_free_days],
    context_schema=User,
    middleware=[PromptMiddleware(Pipeline("chat"), turn=facts)],
)
question = {"messages": [{"role": "user", "content": 'How many frost-free days has "Graz"?'}]}
for user in (User("Ada", "en"), User("Zoé", "fr")):
    for message in agent.invoke(question, context=user)["messages"]:
        print(f"{message.type}: {message.text or message.tool_calls}")
