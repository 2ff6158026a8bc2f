import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import type { ModelProvider } from "../../personas/provider.js";
import { NuncioError } from "../../shared/errors.js";
import { cappedFetch } from "./capped-fetch.js";

export interface ProviderAccess {
  /** Reads an environment variable. */
  env(name: string): string | undefined;
  fetch: typeof fetch;
}

/** A model of a configured provider, and the secrets that must not be in what is said about it. */
export interface ConnectedModel {
  provider: string;
  model: LanguageModel;
  secrets: readonly string[];
}

export function connectModel(
  name: string,
  provider: ModelProvider,
  modelId: string,
  access: ProviderAccess,
): ConnectedModel {
  const fetch = cappedFetch(access.fetch);
  switch (provider.type) {
    case "anthropic": {
      const apiKey = provider.apiKey ?? access.env("ANTHROPIC_API_KEY");
      if (apiKey === undefined || apiKey === "") throw missingKey(name, "ANTHROPIC_API_KEY");
      const baseURL = provider.baseURL ?? "https://api.anthropic.com/v1";
      return { provider: name, model: createAnthropic({ apiKey, baseURL, fetch })(modelId), secrets: [apiKey] };
    }
    case "openai-compatible": {
      const { apiKey, baseURL } = provider;
      const key = apiKey === undefined || apiKey === "" ? {} : { apiKey };
      const connect = createOpenAICompatible({ name, baseURL, ...key, fetch, includeUsage: true });
      return { provider: name, model: connect(modelId), secrets: Object.values(key) };
    }
  }
}

const missingKey = (name: string, variable: string): NuncioError =>
  new NuncioError(
    "failed_precondition",
    `provider "${name}" has no API key: start the daemon with ${variable} in its environment, or set apiKey under providers.${name}`,
    { reason: "PROVIDER_KEY_MISSING" },
  );
