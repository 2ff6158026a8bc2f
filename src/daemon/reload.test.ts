import { describe, expect, it } from "vitest";
import type { LoadedConfig } from "../config/config.js";
import { parseConfig } from "../config/load-config.js";
import type { Logger } from "../telemetry/logger.js";
import { Reload } from "./reload.js";
import { restartNeeded } from "./restart-needed.js";

const load = (text: string): Promise<LoadedConfig> => parseConfig(text, "nuncio.yaml", {});
const configOf = async (text: string) => (await load(text)).config;

const ONE = "personas: [{ name: a, runtime: scripted }]";
const quiet = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Logger;
const NOTHING = { added: [], changed: [], removed: [] };

describe("what only a restart brings into effect", () => {
  it.each([
    ["mode: production", "mode"],
    ["dataDir: ./elsewhere", "dataDir"],
    ["server: { port: 4711 }", "server.port"],
    ['server: { host: "::1" }', "server.host"],
    ["server: { grpcPort: 4701 }", "server.grpcPort"],
    ["console: false", "console"],
    ['storage: { type: postgres, url: "postgres://h/d" }', "storage"],
    ["access: { trustDomain: example.com }", "access.trustDomain"],
  ])("%s: %s", async (text, setting) => {
    expect(restartNeeded(await configOf(ONE), await configOf(`${text}\n${ONE}`))).toEqual([setting]);
  });

  it("is nothing of the rest", async () => {
    const text = `
server: { publicBaseUrl: "https://agents.example.com" }
mode: development
queue: { concurrency: 9, leaseMs: 10000, maxProcesses: 1, maxPendingPerPersona: 5 }
a2a: { maxHops: 9, versions: ["1.0"], blockingTimeoutMs: 1000, compat: "1.0.0", push: { concurrency: 2 } }
access: { limits: { requestsPerMinute: 9 }, oidc: [{ issuer: "https://login.example.com", audience: nuncio }] }
outbound: { allow: ["127.0.0.1:9000"] }
retention: { finishedDays: 1 }
providers: { local: { type: openai-compatible, baseURL: "http://127.0.0.1:11434/v1" } }
personas: [{ name: b, runtime: scripted, visibility: public }]`;
    expect(restartNeeded(await configOf(ONE), await configOf(text))).toEqual([]);
  });
});

describe("Reload", () => {
  const reloadWith = async (changes: Partial<ConstructorParameters<typeof Reload>[0]>) =>
    new Reload({
      config: await configOf(ONE),
      load: () => load(ONE),
      prepare: async () => () => NOTHING,
      logger: quiet,
      ...changes,
    });

  it("takes one after another, each with the file as it then is", async () => {
    const order: string[] = [];
    let file = ONE;
    let ready: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const reload = await reloadWith({
      load: () => load(file),
      async prepare({ personas }) {
        const names = personas.map(({ name }) => name).join();
        order.push(`prepares ${names}`);
        if (names === "a") await slow;
        return () => {
          order.push(`takes ${names}`);
          return NOTHING;
        };
      },
    });
    const first = reload.run();
    await expect.poll(() => order).toEqual(["prepares a"]);
    const second = reload.run();
    file = ONE.replace("name: a", "name: b");
    ready();
    await Promise.all([first, second]);
    expect(order).toEqual(["prepares a", "takes a", "prepares b", "takes b"]);
  });

  it("takes all that ask before it has begun together, and the file for those who ask after that once more", async () => {
    let loads = 0;
    let ready: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const reload = await reloadWith({
      async load() {
        loads += 1;
        await slow;
        return load(ONE);
      },
    });
    const first = reload.run();
    await expect.poll(() => loads).toBe(1);
    const others = Array.from({ length: 1000 }, () => reload.run());
    ready();
    await Promise.all([first, ...others]);
    expect(loads).toBe(2);
  });

  it("goes on after one that was refused, and compares with what is in force", async () => {
    let file = `dataDir: ./elsewhere\n${ONE}`;
    const reload = await reloadWith({ load: () => load(file) });
    await expect(reload.run()).rejects.toMatchObject({ reason: "RESTART_NEEDED", field: "dataDir" });
    file = `a2a: { maxHops: 9 }\n${ONE}`;
    expect(await reload.run()).toEqual({ personas: NOTHING, restartNeeded: [] });
    expect(reload.config.a2a.maxHops).toBe(9);
  });

  it("takes nothing more once the daemon stops, not even what it was about to", async () => {
    let applied = false;
    const reload = await reloadWith({
      async prepare() {
        reload.stop();
        return () => {
          applied = true;
          return NOTHING;
        };
      },
    });
    await expect(reload.run()).rejects.toMatchObject({ code: "unavailable" });
    await expect(reload.run()).rejects.toMatchObject({ code: "unavailable" });
    expect(applied).toBe(false);
  });
});
