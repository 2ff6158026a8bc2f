import type { AgentPolicy } from "../access/policy/agent-policy.js";
import type { Skill } from "./skill.js";
import type { WorkflowNode } from "./workflow.js";

/** An agent that we host, as configured; everything in it is checked and has its defaults. */
export interface Persona {
  name: string;
  tenant: string;
  /** Given, or the first line of the prompt file without `# `; empty when there is neither. */
  description: string;
  visibility: "private" | "public";
  /** Slots in this process. */
  maxConcurrent: number;
  skills: readonly Skill[];
  capabilities: { allow: readonly string[]; requireApproval: readonly string[] };
  /** What the agent offers over A2A. */
  streaming: boolean;
  push: boolean;
  extendedCard: boolean;
  followUps: boolean;
  /** Which agents it may call, and which may call it; without one, none. */
  policy?: AgentPolicy | undefined;
  runtime: PersonaRuntime;
}

export type PersonaRuntime =
  | { type: "model"; provider: string; model: string; systemPrompt: string; maxSteps: number; timeoutMs: number }
  | { type: "command"; provider: string; systemPrompt: string }
  | { type: "scripted"; rules: readonly ScriptRule[] }
  | { type: "workflow"; nodes: readonly WorkflowNode[] };

/** A rule of a scripted persona, as in docs/configuration.md. Without a match the persona echoes the text. */
export interface ScriptRule {
  when?: { text?: RegExp; messageId?: RegExp; turn?: number };
  steps: readonly ScriptStep[];
}

export type ScriptStep =
  | { status: string }
  | { chunk: string }
  | { artifact: { name: string; parts: readonly ScriptPart[] } }
  | { sleep: number }
  | { send: { to: string; message: string; await: boolean; timeoutMs?: number; as?: string } }
  | { call: { url: string; message: string; as?: string } }
  | { tool: { name: string; with: Record<string, unknown>; as?: string } }
  | { ask: string }
  | { auth: string }
  | { approve: string }
  | { reply: string }
  | { complete: string }
  | { message: string }
  | { fail: { text: string; retryable: boolean; attempts?: number } }
  | { reject: string }
  | { hang: true };

export type ScriptPart =
  | { text: string }
  | { data: unknown }
  | { raw: string; mediaType?: string; filename?: string }
  | { url: string; mediaType?: string; filename?: string };
