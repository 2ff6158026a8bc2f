import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type Identity, TestAuthority } from "../../test/support/test-authority.js";
import { mayHaveArrived } from "./errors.js";
import { createOutbound, type OutboundOptions } from "./outbound.js";
import type { Resolver } from "./resolve.js";

const running: { server: Server; sockets: Set<Socket> }[] = [];

async function listening(server: Server, host = "127.0.0.1", port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  running.push({ server, sockets });
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  for (const { server, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
});

const http = (handle: RequestListener, host?: string, port?: number) => listening(createServer(handle), host, port);
const https = (identity: Identity, handle: RequestListener) => listening(createTlsServer(identity, handle));
/** Says `bytes` to whoever has sent something. */
const raw = (say: (socket: Socket) => void) =>
  listening(createTcpServer((socket) => socket.once("data", () => say(socket))));

/** A way out to `name:port`, whose addresses are those given. */
function wayTo(port: number, addresses: readonly string[] = ["127.0.0.1"], options: Partial<OutboundOptions> = {}) {
  return createOutbound({
    mode: "development",
    allow: [`agents.test:${port}`],
    resolver: async () => addresses,
    ...options,
  });
}

const reasonOf = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    return (error as { reason?: string }).reason ?? error;
  }
  return "no error";
};

/** What the other side sees of a connection that ends. */
const gone = async (socket: Socket | undefined) => {
  // On a machine that is busy, time may be up before there is one.
  if (socket?.closed === false) await once(socket, "close");
};

describe("a request", () => {
  it("R4 goes to the checked address, under its own name", async () => {
    const port = await http((request, response) => response.end(`one ${request.headers.host}`), "127.0.0.1");
    await http((request, response) => response.end(`two ${request.headers.host}`), "127.0.0.2", port);
    const answer = await wayTo(port, ["127.0.0.2"]).fetch(`http://agents.test:${port}/`);
    expect(await answer.text()).toBe(`two agents.test:${port}`);
  });

  it("R4 resolves the name once, and dials what was checked even if the name has moved since", async () => {
    const port = await http((_request, response) => response.end("here"));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const outbound = wayTo(port, [], { resolver: async () => answers.shift() ?? [] });
    const checked = await outbound.check(`http://agents.test:${port}/`);
    expect(await (await outbound.fetch(checked)).text()).toBe("here");
    expect(answers).toHaveLength(1);
  });

  it("R4 is checked when it is sent, not only when its URL was registered", async () => {
    const answers = [["93.184.215.14"], ["127.0.0.1"]];
    const resolver: Resolver = async () => answers.shift() ?? [];
    const outbound = createOutbound({ mode: "development", allow: [], resolver });
    await outbound.check("http://rebind.test/");
    expect(await reasonOf(outbound.fetch("http://rebind.test/"))).toBe("OUTBOUND_ADDRESS_REFUSED");
  });

  it("tries the next address where nobody listens", async () => {
    const port = await http((_request, response) => response.end("here"));
    const answer = await wayTo(port, ["127.0.0.3", "127.0.0.1"]).fetch(`http://agents.test:${port}/`);
    expect(await answer.text()).toBe("here");
  });

  it("carries method, headers and body, and asks for nothing packed", async () => {
    const port = await http(async (request, response) => {
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk);
      const { host, connection, ...headers } = request.headers;
      response.end(
        JSON.stringify({ method: request.method, url: request.url, headers, body: Buffer.concat(body).toString() }),
      );
    });
    const answer = await wayTo(port).fetch(`http://agents.test:${port}/a?b=%20c#d`, {
      method: "PUT",
      headers: { "x-thing": "1", host: "elsewhere", "user-agent": "test" },
      body: "ünï",
    });
    expect(await answer.json()).toEqual({
      method: "PUT",
      url: "/a?b=%20c",
      headers: { "x-thing": "1", "user-agent": "test", "accept-encoding": "identity", "content-length": "5" },
      body: "ünï",
    });
  });

  it("is a fetch for the clients of others", async () => {
    const port = await http(async (request, response) => {
      for await (const _ of request);
      response.setHeader("set-cookie", ["a=1", "b=2"]).writeHead(404).end(request.headers["content-type"]);
    });
    const fetch = wayTo(port).fetchFor({});
    const init = { method: "POST", body: new URLSearchParams({ a: "1" }), redirect: "follow" } as const;
    const answer = await fetch(new Request(`http://agents.test:${port}/`, init));
    expect(answer.status).toBe(404);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await answer.text()).toBe("application/x-www-form-urlencoded;charset=UTF-8");
  });

  it("R4 asks no proxy that the environment names", async () => {
    const port = await http((_request, response) => response.end("direct"));
    const proxy = await http((_request, response) => response.end("by proxy"));
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : `http://127.0.0.1:${proxy}`;
    try {
      expect(await (await wayTo(port).fetch(`http://agents.test:${port}/`)).text()).toBe("direct");
    } finally {
      names.forEach((name, i) => {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      });
    }
  });

  it("R4 has a connection of its own, which ends with it", async () => {
    const sockets: Socket[] = [];
    const port = await http((request, response) => {
      sockets.push(request.socket);
      response.end("done");
    });
    const outbound = wayTo(port);
    for (let i = 0; i < 2; i++) await (await outbound.fetch(`http://agents.test:${port}/`)).text();
    expect(new Set(sockets).size).toBe(2);
    await Promise.all(sockets.map(gone));
  });

  it("R4 is refused when its headers would break the lines of HTTP", async () => {
    const port = await http((_request, response) => response.end());
    const sent = wayTo(port).fetch(`http://agents.test:${port}/`, { headers: { authorization: "a\r\nx: y" } });
    await expect(sent).rejects.toThrow();
  });
});

describe("R4 TLS", () => {
  const authority = new TestAuthority();
  const identity = authority.identityFor("agents.test");

  it("R4 is spoken with the original name to the pinned address", async () => {
    const port = await https(identity, (request, response) =>
      response.end(
        JSON.stringify([(request.socket as unknown as { servername: string }).servername, request.headers.host]),
      ),
    );
    const outbound = wayTo(port, ["127.0.0.1"], { ca: [authority.cert], mode: "production" });
    const answer = await outbound.fetch(`https://agents.test:${port}/`);
    expect(await answer.json()).toEqual(["agents.test", `agents.test:${port}`]);
  });

  it.each([
    ["of another name", () => authority.identityFor("elsewhere.test"), "agents.test"],
    ["of the address in place of the name", () => authority.identityFor("127.0.0.1"), "agents.test"],
    ["of a name in place of the address", () => identity, "127.0.0.1"],
    ["of an authority that is not trusted", () => new TestAuthority().identityFor("agents.test"), "agents.test"],
  ])("R4 refuses a certificate %s before a byte is sent", async (_case, identityOf, host) => {
    let requests = 0;
    const port = await https(identityOf(), (_request, response) => {
      requests++;
      response.end();
    });
    const outbound = wayTo(port, ["127.0.0.1"], { ca: [authority.cert], allow: [`${host}:${port}`] });
    const error = await outbound.fetch(`https://${host}:${port}/`).catch((reason) => reason);
    expect(error).toMatchObject({ reason: "OUTBOUND_TLS", details: { sent: false } });
    expect(requests).toBe(0);
  });

  it("takes the certificate of an address for that address", async () => {
    const port = await https(authority.identityFor("127.0.0.1"), (_request, response) => response.end("here"));
    const outbound = createOutbound({ mode: "production", allow: [`127.0.0.1:${port}`], ca: [authority.cert] });
    expect(await (await outbound.fetch(`https://127.0.0.1:${port}/`)).text()).toBe("here");
  });
});

describe("R4 answers", () => {
  it.each([300, 301, 302, 303, 304, 307, 308])("R4 a redirect %i is an error, and is not followed", async (status) => {
    let requests = 0;
    const port = await http((_request, response) => {
      requests++;
      response.writeHead(status, { location: "/secret" }).end(status === 304 ? undefined : "secret body");
    });
    for (const endpoint of ["foreign", "operator"] as const) {
      const error = await wayTo(port)
        .fetch(`http://agents.test:${port}/`, { endpoint })
        .catch((reason) => reason);
      expect(error).toMatchObject({ reason: "OUTBOUND_REDIRECT" });
      expect(JSON.stringify(error) + String(error)).not.toContain("secret");
    }
    expect(requests).toBe(2);
  });

  it.each([
    ["says that it is too large", (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n")],
    ["turns out to be too large", (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(101)}`)],
    [
      "is too large in chunks",
      (socket: Socket) =>
        socket.write(
          `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"32\r\n".concat("x".repeat(50), "\r\n").repeat(3)}`,
        ),
    ],
    [
      "has a header that is too large",
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(3000)}\r\n\r\n`),
    ],
    ["has too many headers", (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(1100)}\r\n`)],
  ])("R4 one that %s ends the connection", async (_case, say) => {
    let connection: Socket | undefined;
    const port = await raw((socket) => {
      connection = socket;
      say(socket);
    });
    const limits = { maxBytes: 100, maxHeaderBytes: 2048 };
    const read = wayTo(port)
      .fetch(`http://agents.test:${port}/`, { limits })
      .then((answer) => answer.text());
    expect(await reasonOf(read)).toBe("OUTBOUND_TOO_LARGE");
    await gone(connection);
  });

  it("one that is as large as it may be is read", async () => {
    const port = await http((_request, response) => response.end("x".repeat(100)));
    const answer = await wayTo(port).fetch(`http://agents.test:${port}/`, { limits: { maxBytes: 100 } });
    expect(await answer.text()).toHaveLength(100);
  });

  it("R4 a packed one stays packed: what counts is what came", async () => {
    const packed = gzipSync("x".repeat(100_000));
    const port = await http((_request, response) => response.setHeader("content-encoding", "gzip").end(packed));
    const answer = await wayTo(port).fetch(`http://agents.test:${port}/`);
    expect((await answer.arrayBuffer()).byteLength).toBe(packed.byteLength);
  });

  it.each([
    ["is not HTTP", "hello\r\n\r\n"],
    ["has a status that there is not", "HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n"],
    ["ends within its headers", "HTTP/1.1 200 OK\r\nx: "],
    ["ends within its body", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"],
    ["is empty", ""],
    [
      "contradicts itself",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    ],
  ])("R4 one that %s may have had an effect, and is an error", async (_case, bytes) => {
    const port = await raw((socket) => socket.end(bytes));
    const error = await wayTo(port)
      .fetch(`http://agents.test:${port}/`)
      .then((answer) => answer.text())
      .catch((reason) => reason);
    expect(error).toMatchObject({ reason: "OUTBOUND_BROKEN", code: "unavailable" });
    expect(mayHaveArrived(error)).toBe(true);
  });

  it("one without a body has none", async () => {
    const port = await http((_request, response) => response.writeHead(204).end());
    const answer = await wayTo(port).fetch(`http://agents.test:${port}/`);
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    const head = await wayTo(port).fetch(`http://agents.test:${port}/`, { method: "HEAD" });
    expect(head.status).toBe(204);
  });

  it("one is read as it comes, and no faster", async () => {
    let next: (text: string) => void = () => {};
    const port = await http((_request, response) => {
      next = (text) => response.write(text);
      next("one");
    });
    const answer = await wayTo(port).fetch(`http://agents.test:${port}/`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await read()).toBe("one");
    next("two");
    expect(await read()).toBe("two");
    await reader.cancel();
  });
});

describe("R4 time", () => {
  it("R4 a name that nobody resolves is given up, and nothing was sent", async () => {
    const outbound = createOutbound({ mode: "development", allow: [], resolver: () => new Promise(() => {}) });
    for (const work of [
      outbound.check("http://x/", { limits: { connectMs: 20 } }),
      outbound.fetch("http://x/", { limits: { connectMs: 20 } }),
    ]) {
      const error = await work.catch((reason) => reason);
      expect(error).toMatchObject({ reason: "OUTBOUND_TIMEOUT", details: { phase: "connect", sent: false } });
      expect(mayHaveArrived(error)).toBe(false);
    }
  });

  it("R4 a TLS handshake that hangs is given up, and nothing was sent", async () => {
    const port = await raw(() => {});
    const error = await wayTo(port)
      .fetch(`https://agents.test:${port}/`, { limits: { connectMs: 50 } })
      .catch((reason) => reason);
    expect(error).toMatchObject({ reason: "OUTBOUND_TIMEOUT", details: { phase: "connect", sent: false } });
  });

  it.each([
    ["headers", { headersMs: 50 }, ""],
    ["body", { idleMs: 50 }, "HTTP/1.1 200 OK\r\n\r\nhalf"],
    ["total", { totalMs: 100 }, "HTTP/1.1 200 OK\r\n\r\nhalf"],
    ["total", { totalMs: 100 }, ""],
  ])("R4 an answer whose %s do not come is given up", async (phase, limits, bytes) => {
    let connection: Socket | undefined;
    const port = await raw((socket) => {
      connection = socket;
      socket.write(bytes);
    });
    const error = await wayTo(port)
      .fetch(`http://agents.test:${port}/`, { limits })
      .then((answer) => answer.text())
      .catch((reason) => reason);
    expect(error).toMatchObject({ reason: "OUTBOUND_TIMEOUT", details: { phase, sent: true } });
    await gone(connection);
  });

  it("R4 interim answers without an end do not go on for ever", async () => {
    const port = await raw((socket) => {
      const flood = () =>
        socket.destroyed || socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n", () => setImmediate(flood));
      flood();
    });
    const sent = wayTo(port).fetch(`http://agents.test:${port}/`, { limits: { totalMs: 100 } });
    expect(await reasonOf(sent)).toBe("OUTBOUND_TIMEOUT");
  });

  it("R4 an answer that nobody reads does not keep its connection", async () => {
    let connection: Socket | undefined;
    const port = await raw((socket) => {
      connection = socket;
      socket.write("HTTP/1.1 200 OK\r\n\r\nhalf");
    });
    await wayTo(port)
      .fetch(`http://agents.test:${port}/`, { limits: { totalMs: 100 } })
      .catch((error) => expect(error.reason).toBe("OUTBOUND_TIMEOUT"));
    await gone(connection);
  });

  it.each(["before", "while connecting", "before the answer", "within the answer"])(
    "ends with the caller's signal, %s",
    async (when) => {
      const stop = new AbortController();
      const why = new Error("no longer wanted");
      const port = await raw((socket) => {
        if (when === "before the answer") stop.abort(why);
        socket.write("HTTP/1.1 200 OK\r\n\r\nhalf");
      });
      if (when === "before") stop.abort(why);
      const resolver: Resolver = async () => {
        if (when === "while connecting") stop.abort(why);
        return ["127.0.0.1"];
      };
      const outbound = wayTo(port, [], { resolver });
      const read = outbound.fetch(`http://agents.test:${port}/`, { signal: stop.signal }).then((answer) => {
        if (when === "within the answer") stop.abort(why);
        return answer.text();
      });
      await expect(read).rejects.toBe(why);
      expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    },
  );

  it("leaves nothing on a signal that outlives it", async () => {
    const port = await http((_request, response) => response.end("done"));
    const { signal } = new AbortController();
    await (await wayTo(port).fetch(`http://agents.test:${port}/`, { signal })).text();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("a host where nobody listens has got nothing", async () => {
  const port = await http(() => {});
  const { server } = running.pop() as (typeof running)[number];
  server.close();
  await once(server, "close");
  const error = await wayTo(port)
    .fetch(`http://agents.test:${port}/`)
    .catch((reason) => reason);
  expect(error).toMatchObject({ reason: "OUTBOUND_UNREACHABLE", details: { sent: false } });
  expect(String(error)).not.toContain("127.0.0.1");
});
