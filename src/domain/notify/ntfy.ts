import { utf8Length } from "#contract/utf8-length.ts";
import { fitText } from "#domain/notify/limit-text.ts";
import type { Message, MessageLevel } from "#domain/notify/message.ts";

/** In bytes. ntfy turns a longer message into an attachment. Source: ntfy's documentation, "Limitations". */
const MAX_MESSAGE = 4096;
const MAX_TITLE = 250;

/** From 1 to 5. 3 is the default; 4 makes a telephone vibrate longer. */
const priorities = {
  success: 3,
  failure: 4,
  warning: 3,
  info: 2,
} as const satisfies Record<MessageLevel, number>;

/** ntfy shows these names as emoji before the title. */
const tags = {
  success: "white_check_mark",
  failure: "x",
  warning: "warning",
  info: "information_source",
} as const satisfies Record<MessageLevel, string>;

/** A message that is published to the root of an ntfy server. ntfy reads no markup in it. */
export function ntfyMessage(message: Message, topic: string): unknown {
  const { level, title, links } = message;
  const [page] = links;
  return {
    topic,
    title: fitText(title, MAX_TITLE, { size: utf8Length }),
    message: fitText(textOf(message), MAX_MESSAGE, { size: utf8Length }),
    priority: priorities[level],
    tags: [tags[level]],
    click: page.url,
    actions: links.map(({ text, url }) => ({ action: "view", label: text, url })),
  };
}

/** The text below the title. Without one, ntfy would show `triggered`. */
function textOf({ title, lines, code, fields }: Message): string {
  const all = [
    ...lines,
    ...(code === null ? [] : [code]),
    ...fields.map(({ name, value }) => `${name}: ${value}`),
  ];
  return all.length === 0 ? title : all.join("\n");
}
