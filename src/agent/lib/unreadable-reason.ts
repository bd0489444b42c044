import { messageOf } from "#contract/lib/message-of.ts";

/** Why a JSON file could not be read: the system's error, or that its content is not what was written. */
export function unreadableReason(error: unknown): string {
  return error instanceof Error && "code" in error ? messageOf(error) : "it is damaged";
}
