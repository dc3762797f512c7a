// Drives `reseek mcp` with the client of the official TypeScript SDK, which validates every answer against its schema.
//
// Usage: node typescript_sdk.mjs BINARY, with `@modelcontextprotocol/sdk` installed in the working directory. Makes its own
// small corpus; ends with 0 if all is well.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.cwd(), "x.js"));
const sdk = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { ListRootsRequestSchema } = await sdk("types.js");

const binary = process.argv[2];
const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "reseek-mcp-")));

function corpus(name, files) {
  const folder = path.join(top, name);
  fs.mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const root = corpus("root", {
  "src/auth/token.ts":
    "/** Checks whether a token has expired. */\nexport function isTokenExpired(token: Token) {\n  return token.at < 1;\n}\n",
  "src/auth/session.ts": "import { isTokenExpired } from './token';\n\nexport class Session {}\n",
});
const other = corpus("other", { "src/other.ts": "export function otherThing() {}\n" });
const home = corpus("home", {});
const env = { ...process.env, HOME: home };

const calls = {
  retrieve_context: { task: "isTokenExpired accepts an expired token", budget: 2000 },
  search_code: { query: "token kind:function" },
  find_symbol: { name: "Session" },
  outline: { path: "src/auth/session.ts" },
  read_symbols: { targets: [{ path: "src/auth/token.ts", symbol: "isTokenExpired" }] },
  index_status: {},
};

async function checkTools(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort());
  for (const [name, args] of Object.entries(calls)) {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError && result.structuredContent, `${name}: ${JSON.stringify(result)}`);
  }
  const prompt = await client.getPrompt({ name: "retrieve_then_read", arguments: { task: "mend it" } });
  assert.match(prompt.messages[0].content.text, /mend it/);
}

async function checkErrors(client) {
  const refused = await client.callTool({ name: "outline", arguments: { path: "/etc/passwd" } });
  assert.ok(refused.isError && /not-served|outside/.test(refused.content[0].text));
  await assert.rejects(client.callTool({ name: "search_code", arguments: { query: "a", limit: -1 } }), /limit/);
  await assert.rejects(client.callTool({ name: "nonsense", arguments: {} }), /nonsense/);
  await assert.rejects(client.request({ method: "nonsense/do" }, { parse: (x) => x }), /-32601/);
}

async function overStdio() {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: binary, args: ["mcp", "--root", root], cwd: home, env }),
  );
  assert.equal(client.getServerVersion().name, "reseek");
  await checkTools(client);
  await checkErrors(client);
  const stop = new AbortController();
  const call = client.callTool({ name: "search_code", arguments: calls.search_code }, undefined, { signal: stop.signal });
  stop.abort("enough");
  await assert.rejects(call);
  await checkTools(client);
  await client.close();
}

async function withRoots() {
  let named = [root];
  const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: named.map((folder) => ({ uri: pathToFileURL(folder).href })),
  }));
  await client.connect(new StdioClientTransport({ command: binary, args: ["mcp"], cwd: home, env }));
  const find = async (name) =>
    (await client.callTool({ name: "find_symbol", arguments: { name } })).structuredContent.symbols;
  assert.equal((await find("Session")).length, 1);
  named = [other];
  await client.sendRootsListChanged();
  assert.equal((await find("otherThing")).length, 1);
  await client.close();
}

async function overHttp() {
  const server = spawn(binary, ["mcp", "--http", "127.0.0.1:0", "--root", root], {
    cwd: home,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const lines = readline.createInterface({ input: server.stderr })[Symbol.asyncIterator]();
    const token = (await lines.next()).value.match(/token (\w+)/)[1];
    const url = new URL((await lines.next()).value.match(/http:\S+/)[0]);
    const headers = { Authorization: `Bearer ${token}` };
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    await checkTools(client);
    await checkErrors(client);
    await client.close();
    const stranger = new Client({ name: "test", version: "1" });
    await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(url)), /401|token/i);
  } finally {
    server.kill();
  }
}

try {
  for (const check of [overStdio, withRoots, overHttp]) {
    await check();
    console.log(`${check.name}: ok`);
  }
} finally {
  fs.rmSync(top, { recursive: true, force: true });
}
process.exit(0);
