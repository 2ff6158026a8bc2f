import { z } from "zod";
import { TENANT_NAME } from "../../../access/tenant-name.js";

/** A point in time as people and programs read it: ISO 8601 in UTC, with milliseconds. */
export const timestamp = z.iso.datetime();

export const toTimestamp = (ms: number): string => new Date(ms).toISOString();

export const toOptionalTimestamp = (ms: number | null): string | null => (ms === null ? null : toTimestamp(ms));

/** What is kept as a name must be one that can be shown, compared and hashed: valid Unicode without control characters. */
const label = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(
      (text) => !/[\p{Cc}\p{Surrogate}]/u.test(text),
      "must not contain control characters or unpaired surrogates",
    );

/** An id as we made it, or what somebody takes for one: whether it exists is found out by looking. */
export const id = label(128);

export const tenantName = label(64).default("default");

/** Of one that may come to be by this request. */
export const newTenantName = z
  .string()
  .regex(TENANT_NAME, "must be 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first and last");

export const pageLimit = z.coerce.number().int().min(1).max(1000);
export const cursor = z.string().min(1).max(1024);

/** What a person says to an agent: not empty, at most 1 MiB with its JSON around it. */
export const messageText = z
  .string()
  .max(1024 * 1024)
  .refine((text) => text.trim() !== "", "must not be empty")
  .refine((text) => !/\p{Surrogate}/u.test(text), "must be valid Unicode");

/** Chosen by the caller, so that a request that is sent again does nothing twice. */
export const messageId = label(256);
