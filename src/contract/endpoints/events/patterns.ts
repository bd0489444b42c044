import * as z from "zod/mini";

import { EventType } from "#contract/endpoints/events/schemas.ts";

/** All events, or those whose type begins so. */
const groups = [
  "*",
  "deployment.*",
  "server.*",
  "project.*",
  "variables.*",
  "token.*",
  "webhook.*",
  "hook.*",
  "freeze.*",
  "account.*",
  "audit.*",
] as const;

/** A type of event, or a pattern for several: `deployment.*`, or `*` for all. */
export const EventPattern = z.enum([...groups, ...EventType.options]);
export type EventPattern = z.infer<typeof EventPattern>;

/** Whether one of the patterns stands for the type. */
export function matchesType(patterns: readonly string[], type: EventType): boolean {
  const group = `${type.split(".")[0]}.*`;
  return patterns.some((pattern) => pattern === type || pattern === group || pattern === "*");
}

/** The types that the patterns stand for. */
export function typesOf(patterns: readonly EventPattern[]): EventType[] {
  return EventType.options.filter((type) => matchesType(patterns, type));
}
