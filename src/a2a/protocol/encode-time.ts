/** ISO 8601 in UTC with milliseconds (A2A 1.0, 5.6.1). */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
