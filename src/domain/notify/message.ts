import { plainLine } from "#domain/notify/limit-text.ts";

/** How a message is marked, by its colour, symbol or priority. */
export type MessageLevel = "success" | "failure" | "warning" | "info";

export type MessageField = { readonly name: string; readonly value: string };
export type MessageLink = { readonly text: string; readonly url: string };

/**
 * What people read about an event, in every chat and mail. All texts are plain lines: each kind writes them in its own
 * form, so that nothing in them is read as markup. None is empty.
 */
export type Message = {
  readonly level: MessageLevel;
  readonly title: string;
  /** What happened, as sentences, the most important first. */
  readonly lines: readonly string[];
  /** A line of a command's output. */
  readonly code: string | null;
  readonly fields: readonly MessageField[];
  /** The page of the dashboard first. */
  readonly links: readonly [MessageLink, ...MessageLink[]];
  /** When it happened, as an ISO date. */
  readonly at: string;
};

/** The symbol before the title, in kinds that have no other mark for a level. */
export const levelSymbols = {
  success: "✅",
  failure: "❌",
  warning: "⚠️",
  info: "ℹ️",
} as const satisfies Record<MessageLevel, string>;

/** The fields that have a value, as plain lines. */
export function fieldsOf(values: Readonly<Record<string, string | null>>): readonly MessageField[] {
  return Object.entries(values).flatMap(([name, text]) => {
    const value = plainLine(text ?? "");
    return value === "" ? [] : [{ name, value }];
  });
}
