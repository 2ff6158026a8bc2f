import { allows, parseCapability } from "../personas/capabilities.js";
import { listed } from "./fields.js";
import type { Findings } from "./findings.js";
import { isLoopback } from "./loopback.js";
import type { Settings } from "./schema/root.js";

/** What `a2a_call` uses: nothing grants it, since the persona's policy says whom it may call. */
const CALL_AGENT = "a2a.call";

/** Settings that are right one by one and wrong together. */
export function findContradictions(settings: Settings, env: NodeJS.ProcessEnv, findings: Findings): void {
  refuseOpenDoor(settings, env, findings);
  refuseSharedPorts(settings, findings);
  refuseDuplicates(settings, findings);
  refuseIdleApprovals(settings, findings);
  checkDefaultAgent(settings, env, findings);
  checkTrust(settings, findings);
  warnOfKeysOfOneNode(settings, findings);
}

/** Without authentication everybody who reaches the listener may use every public agent. */
function refuseOpenDoor({ access, server }: Settings, env: NodeJS.ProcessEnv, findings: Findings): void {
  if (!access.anonymous) return;
  const path = ["access", "anonymous"];
  if (!isLoopback(server.host)) {
    findings.refuse(
      path,
      `true is refused while server.host is ${server.host}; use false, or a host such as 127.0.0.1`,
    );
  } else if (server.publicBaseUrl !== undefined) {
    const by = env.NUNCIO_PUBLIC_BASE_URL ? "NUNCIO_PUBLIC_BASE_URL" : "server.publicBaseUrl";
    findings.refuse(path, `true is refused while ${by} is set; use false, or remove the public URL`);
  }
}

function refuseSharedPorts({ server, console }: Settings, findings: Findings): void {
  const taken = new Map([[server.port, "server.port"]]);
  const others: [number | undefined, string[]][] = [
    [server.grpcPort, ["server", "grpcPort"]],
    [console === false ? undefined : console.port, ["console", "port"]],
  ];
  for (const [port, path] of others) {
    if (port === undefined || port === 0) continue;
    const holder = taken.get(port);
    if (holder !== undefined && findings.source.has(path)) {
      findings.refuse(path, `${port} is ${holder} already; use another port`);
    }
    taken.set(port, path.join("."));
  }
}

/** A safeguard that could never hold anything up is a slip, and would be missed when it is needed. */
function refuseIdleApprovals({ personas }: Settings, findings: Findings): void {
  personas.forEach(({ policy, capabilities: { allow, requireApproval } }, index) => {
    requireApproval.forEach((label, at) => {
      const path = ["personas", index, "capabilities", "requireApproval", at];
      const { action, scope } = parseCapability(label) ?? {};
      if (action === CALL_AGENT) {
        if (scope === undefined) findings.refuse(path, `use ${CALL_AGENT}:* or ${CALL_AGENT}:HOST`);
        else if (scope !== "*") {
          const hosts = policy?.egressHosts.map((entry) => new URL(`https://${entry}`).hostname) ?? [];
          if (!hosts.includes(scope)) findings.refuse(path, idleHost(label, hosts));
        }
      } else if (!allows(allow, label) && !allow.some((granted) => allows([label], granted))) {
        findings.refuse(
          path,
          `${label} is nothing that capabilities.allow grants, and would never be asked for; grant it there, or remove it`,
        );
      }
    });
  });
}

const idleHost = (label: string, hosts: readonly string[]): string =>
  `${label} names none of the persona's egressHosts, and would never be asked for; ${
    hosts.length === 0 ? "remove it" : `use ${listed(hosts.slice(0, 10).map((host) => `${CALL_AGENT}:${host}`))}`
  }`;

function refuseDuplicates({ personas, channels }: Settings, findings: Findings): void {
  const first = new Map<string, number>();
  personas.forEach(({ name, tenant }, index) => {
    const earlier = first.get(`${tenant}/${name}`);
    if (earlier === undefined) first.set(`${tenant}/${name}`, index);
    else findings.refuse(["personas", index, "name"], `"${name}" is personas[${earlier}] already; use another name`);
  });
  const names = new Set<string>();
  channels.forEach(({ name }, index) => {
    if (names.has(name)) findings.refuse(["channels", index, "name"], `"${name}" is taken already; use another name`);
    names.add(name);
  });
}

/** It is shown at the root of the site to everybody, so it must be meant for everybody. */
function checkDefaultAgent({ a2a, personas }: Settings, env: NodeJS.ProcessEnv, findings: Findings): void {
  const wanted = a2a.defaultAgent;
  if (wanted === undefined) return;
  const says = env.NUNCIO_A2A_DEFAULT_AGENT ? `NUNCIO_A2A_DEFAULT_AGENT is "${wanted}", which` : `"${wanted}"`;
  const open = personas.filter((persona) => persona.tenant === "default" && persona.visibility === "public");
  if (open.some((persona) => persona.name === wanted)) return;
  const found = personas.filter((persona) => persona.name === wanted);
  const path = ["a2a", "defaultAgent"];
  const choices = open.length === 0 ? "" : `, or use ${listed(open.map((persona) => persona.name).slice(0, 10))}`;
  if (found.length === 0) {
    findings.refuse(path, `${says} is not among the personas; add it with visibility: public${choices}`);
  } else if (found.every((persona) => persona.tenant !== "default")) {
    findings.refuse(path, `${says} belongs to another tenant than default; move it there${choices}`);
  } else {
    findings.refuse(path, `${says} is private; give it visibility: public${choices}`);
  }
}

/** What one node seals in the ledger another one could not open. */
function warnOfKeysOfOneNode({ storage, access }: Settings, findings: Findings): void {
  if (storage.type !== "postgres" || access.sealingKeyFile !== undefined) return;
  findings.warn(
    ["storage", "type"],
    "several nodes must have the same sealing keys; set access.sealingKeyFile to a file that all of them share",
  );
}

/** Who is believed in whose name must be said once. */
function checkTrust({ access: { trustDomain, trustBundles, oidc } }: Settings, findings: Findings): void {
  for (const domain of Object.keys(trustBundles)) {
    const path = ["access", "trustBundles", domain];
    if (trustDomain === undefined) {
      findings.refuse(
        path,
        "needs access.trustDomain: agents of others name ours by ids in it; set it, or remove this",
      );
    } else if (domain === trustDomain) {
      findings.refuse(path, "is our own trust domain, whose keys are in the ledger; remove this");
    }
  }
  const first = new Map<string, number>();
  oidc.forEach(({ issuer, audience }, index) => {
    const earlier = first.get(`${issuer} ${audience}`);
    if (earlier === undefined) first.set(`${issuer} ${audience}`, index);
    else findings.refuse(["access", "oidc", index], `has the issuer and audience of oidc[${earlier}]; remove one`);
  });
}
