import { z } from "zod";
import { list, milliseconds, name, object, oneOf, text, wholeNumber } from "../fields.js";
import { agentAudience, target } from "./policy.js";

const version = z.enum(["1.0", "0.3"], { error: 'use "1.0" or "0.3", in quotes' });

/** Notifications of callers at URLs that they name. */
const push = object({
  maxPerTask: wholeNumber(1, 100).default(10),
  /** Failures in a row, over about two hours with these times. */
  maxAttempts: wholeNumber(1, 100).default(12),
  backoffBaseMs: milliseconds().default(5000),
  backoffMaxMs: milliseconds().default(3_600_000),
  timeoutMs: milliseconds(100, 120_000).default(15_000),
  /** Receivers that are told at the same time. */
  concurrency: wholeNumber(1, 1000).default(32),
});

/** What is shown to agents of others that are called: from files, never from a model, and only where `target` leads. */
const credential = object({
  target,
  file: text("the path of a file"),
  /** For a file of type agentToken. */
  audience: agentAudience.optional(),
});

export const a2a = object({
  maxHops: wholeNumber(1, 32).default(4),
  maxConcurrentPerTarget: wholeNumber(1, 100).default(1),
  maxAttempts: wholeNumber(1, 20).default(3),
  maxChildrenPerTask: wholeNumber(1, 10_000).default(20),
  maxTasksPerRoot: wholeNumber(1, 1_000_000).default(200),
  maxTokensPerRoot: wholeNumber(1, 1_000_000_000_000).default(2_000_000),
  /** Of agents outside, by one persona in one process. */
  maxCallsPerMinute: wholeNumber(1, 1_000_000).default(60),
  credentials: list(credential).default([]),
  versions: list(version, 2)
    .min(1)
    .refine((versions) => new Set(versions).size === versions.length, { error: "name each version once" })
    .default(["1.0", "0.3"]),
  defaultAgent: name().optional(),
  /** For 0.3 only: a blocking send of 1.0 waits as long as its connection lives. */
  blockingTimeoutMs: milliseconds().default(60_000),
  compat: oneOf("1.0.1", "1.0.0").default("1.0.1"),
  push: push.prefault({}),
});
