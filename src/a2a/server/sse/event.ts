/** One Server-Sent Event. Its id, where there is one, is what a client sends as `Last-Event-ID` to go on. */
export const sseEvent = (data: string, id: number | undefined): string =>
  id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
