import * as z from "zod/mini";

import { didYouMean } from "#contract/lib/suggest.ts";
import { EventType } from "#contract/endpoints/events/schemas.ts";

/** All events, or the events whose type begins so. */
const groups = [
  "*",
  "deployment.*",
  "server.*",
  "project.*",
  "variables.*",
  "process.*",
  "cron.*",
  "certificate.*",
  "token.*",
  "trust_rule.*",
  "member.*",
  "invitation.*",
  "passkey.*",
  "connection.*",
  "identity.*",
  "webhook.*",
  "hook.*",
  "freeze.*",
  "account.*",
  "audit.*",
] as const;

const options = [...groups, ...EventType.options] as const;

/** A type of event, or a pattern for several: `deployment.*`, or `*` for all. */
export const EventPattern = z.enum(options, {
  error: ({ input }) => `must be a type of event, such as deployment.live, or *.${nearestPattern(input)}`,
});
export type EventPattern = z.infer<typeof EventPattern>;

/** ` Did you mean …?`, or an empty string. */
export function nearestPattern(given: unknown): string {
  return typeof given === "string" ? didYouMean(given, options) : "";
}

/** Whether one of the patterns stands for the type. */
export function matchesType(patterns: readonly string[], type: EventType): boolean {
  const group = `${type.split(".")[0]}.*`;
  return patterns.some((pattern) => pattern === type || pattern === group || pattern === "*");
}

/** The types that the patterns stand for. */
export function typesOf(patterns: readonly EventPattern[]): EventType[] {
  return EventType.options.filter((type) => matchesType(patterns, type));
}
