"""A voice agent of LiveKit that people talk to, with the face of a presenter."""

from livekit.agents import Agent, AgentSession, JobContext, WorkerOptions, cli
from livekit.plugins import figurehead, openai


async def entrypoint(ctx: JobContext) -> None:
    await ctx.connect()
    session = AgentSession(llm=openai.realtime.RealtimeModel())
    avatar = figurehead.AvatarSession(avatar_code="nora")
    await avatar.start(session, room=ctx.room)
    await session.start(Agent(instructions="You are a friendly guide."), room=ctx.room)
    await session.generate_reply(instructions="Greet the user.")


if __name__ == "__main__":
    cli.run_app(WorkerOptions(entrypoint_fnc=entrypoint))
