// What a follower and a Durable Object send each other. A follower sends `after <position>` each time its own client can
// take more, and gets one answer, as soon as there is something new.

/** The runtime answers pings without waking the object. */
export const PING = "ping";
export const PONG = "pong";

export const askAfter = (position: number) => `after ${position}`;

/** The position that the follower has reached; null if the message has another form. */
export function parseAsk(message: string | ArrayBuffer): number | null {
  const position = typeof message === "string" ? /^after (\d{1,15})$/.exec(message)?.[1] : undefined;
  return position === undefined ? null : Number(position);
}
