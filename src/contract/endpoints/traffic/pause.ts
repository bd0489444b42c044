import * as z from "zod/mini";

import { textUpTo, wholeBetween } from "#contract/bounds.ts";

/** A held request has waited long enough then: browsers and proxies give up after 60 s or more. */
export const MAX_PAUSE_SECONDS = 30;

/** Holds the requests for this long. */
export const PauseProjectInput = z.strictObject({ seconds: wholeBetween(1, MAX_PAUSE_SECONDS) });
export type PauseProjectInput = z.infer<typeof PauseProjectInput>;

/** `paused_until`: when the requests pass again; null: now. */
export const ProjectPause = z.strictObject({ paused_until: z.nullable(z.string()) });
export type ProjectPause = z.infer<typeof ProjectPause>;

/** The agent's answer. `not_live`: it serves nothing of the project. `message`: a sentence. */
export const PauseResult = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true) }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum(["not_live", "no_ingress", "failed"]),
    message: textUpTo(1000),
  }),
]);
export type PauseResult = z.infer<typeof PauseResult>;
