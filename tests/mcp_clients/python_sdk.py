"""Drives `reseek mcp` with the client of the official Python SDK, which validates every answer against its schema.

Usage: python_sdk.py BINARY. Needs the package `mcp`. Makes its own small corpus; ends with 0 if all is well.
"""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import httpx2
from mcp import ClientSession, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

BINARY = sys.argv[1]

FILES = {
    "src/auth/token.ts": "/** Checks whether a token has expired. */\n"
    "export function isTokenExpired(token: Token): boolean {\n  return token.expiresAt < 1;\n}\n",
    "src/auth/session.ts": "import { isTokenExpired } from './token';\n\nexport class Session {\n"
    "  check() {\n    return isTokenExpired(this.token);\n  }\n}\n",
    "README.md": "# Sample\n",
}

CALLS = [
    ("retrieve_context", {"task": "isTokenExpired accepts an expired token", "budget": 2000}),
    ("search_code", {"query": "token kind:function", "limit": 5}),
    ("find_symbol", {"name": "Session"}),
    ("outline", {"path": "src/auth/session.ts"}),
    ("read_symbols", {"targets": [{"path": "src/auth/token.ts", "symbol": "isTokenExpired"}]}),
    ("index_status", {"path": "README.md"}),
]


def corpus(folder: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def server(*arguments: str, cwd: pathlib.Path) -> StdioServerParameters:
    return StdioServerParameters(command=BINARY, args=["mcp", *arguments], cwd=str(cwd), env=dict(os.environ))


async def check_tools(session: ClientSession) -> None:
    listed = {tool.name for tool in (await session.list_tools()).tools}
    assert listed == {name for name, _ in CALLS}, listed
    for name, arguments in CALLS:
        result = await session.call_tool(name, arguments)
        assert not result.is_error, (name, result)
        assert result.structured_content is not None, name
        assert result.content[0].text, name
    prompts = (await session.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["retrieve_then_read"]
    guide = await session.get_prompt("retrieve_then_read", {"task": "mend it"})
    assert "mend it" in guide.messages[0].content.text


async def check_errors(session: ClientSession) -> None:
    refused = await session.call_tool("outline", {"path": "../outside.ts"})
    assert refused.is_error and "not-served" in refused.content[0].text, refused
    for name, arguments, said in [
        ("search_code", {"query": "a", "limit": True}, "`limit`"),
        ("search_code", {}, "`query`"),
        ("nonsense", {}, "`nonsense`"),
    ]:
        try:
            await session.call_tool(name, arguments)
        except MCPError as error:
            assert error.code == -32602 and said in error.message, error
        else:
            raise AssertionError(f"{name} {arguments} is answered")


async def stdio_session(root: pathlib.Path, home: pathlib.Path) -> None:
    async with stdio_client(server("--root", str(root), cwd=home)) as (read, write):
        async with ClientSession(read, write) as session:
            opened = await session.initialize()
            assert opened.server_info.name == "reseek", opened
            assert opened.instructions and "retrieve_context" in opened.instructions
            await check_tools(session)
            await check_errors(session)
            first = await session.call_tool(*CALLS[0])
            more = await session.call_tool(
                "retrieve_context",
                {"continue_from": first.structured_content["answer_id"], "useful": ["src/auth/token.ts"]},
            )
            assert not more.is_error, more
            # A call that is given up leaves the session whole.
            call = asyncio.ensure_future(session.call_tool(*CALLS[1]))
            await asyncio.sleep(0)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            await check_tools(session)


async def modern_session(root: pathlib.Path, home: pathlib.Path) -> None:
    """The protocol without a handshake, in which every request says what it speaks."""
    async with stdio_client(server("--root", str(root), cwd=home)) as (read, write):
        async with ClientSession(read, write) as session:
            found = await session.discover()
            assert "2026-07-28" in found.supported_versions, found
            await check_tools(session)


async def roots_session(root: pathlib.Path, other: pathlib.Path, home: pathlib.Path) -> None:
    named = [root]

    async def list_roots(_context):
        return types.ListRootsResult(roots=[types.Root(uri=path.as_uri()) for path in named])

    async with stdio_client(server(cwd=home)) as (read, write):
        async with ClientSession(read, write, list_roots_callback=list_roots) as session:
            await session.initialize()
            found = await session.call_tool("find_symbol", {"name": "Session"})
            assert found.structured_content["symbols"], found
            named[:] = [other]
            await session.send_roots_list_changed()
            found = await session.call_tool("find_symbol", {"name": "otherThing"})
            assert found.structured_content["symbols"], found


async def http_sessions(root: pathlib.Path, home: pathlib.Path) -> None:
    process = subprocess.Popen(
        [BINARY, "mcp", "--http", "127.0.0.1:0", "--root", str(root)],
        cwd=home, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    try:
        token = re.search(r"token (\w+)", process.stderr.readline()).group(1)
        url = re.search(r"http://\S+", process.stderr.readline()).group(0)
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as client:
            async with streamable_http_client(url, http_client=client) as streams:
                async with ClientSession(streams[0], streams[1]) as session:
                    await session.initialize()
                    await check_tools(session)
                    await check_errors(session)
        async with httpx2.AsyncClient() as client:
            answer = await client.post(url, json={})
            assert answer.status_code == 401, answer
    finally:
        process.kill()
        process.wait()


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder).resolve()
        root = corpus(top / "root", FILES)
        other = corpus(top / "other", {"src/other.ts": "export function otherThing() {}\n"})
        home = corpus(top / "home", {})
        home.mkdir()
        os.environ["HOME"] = str(home)
        for name, check in [
            ("stdio", stdio_session(root, home)),
            ("without a handshake", modern_session(root, home)),
            ("roots", roots_session(root, other, home)),
            ("http", http_sessions(root, home)),
        ]:
            await asyncio.wait_for(check, 120)
            print(f"{name}: ok")


asyncio.run(main())
