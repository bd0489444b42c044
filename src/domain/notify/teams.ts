import { fitText } from "#domain/notify/limit-text.ts";
import { levelSymbols, type Message, type MessageLevel } from "#domain/notify/message.ts";

/** In UTF-16 units. A card may have 28 KB; with these limits it has less even if each unit takes three bytes. */
const MAX_TITLE = 250;
const MAX_LINE = 2000;
const MAX_CODE = 300;
const MAX_FIELDS = 6;
const MAX_VALUE = 300;

const colours = {
  success: "good",
  failure: "attention",
  warning: "warning",
  info: "default",
} as const satisfies Record<MessageLevel, string>;

type Style = Readonly<Record<string, string | boolean>>;

/**
 * An adaptive card for a Teams workflow. All texts are in `RichTextBlock`s, because `TextBlock` and `FactSet` read
 * Markdown in them.
 */
export function teamsMessage({ level, title, lines, code, fields, links }: Message): unknown {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      richText([
        run(fitText(`${levelSymbols[level]} ${title}`, MAX_TITLE), {
          size: "medium",
          weight: "bolder",
          color: colours[level],
        }),
      ]),
      ...lines.map((line) => richText([run(fitText(line, MAX_LINE))])),
      ...(code === null ? [] : [richText([run(fitText(code, MAX_CODE), { fontType: "monospace" })])]),
      ...fields
        .slice(0, MAX_FIELDS)
        .map(({ name, value }) =>
          richText([run(`${name}: `, { weight: "bolder" }), run(fitText(value, MAX_VALUE))]),
        ),
    ],
    actions: links.map(({ text, url }) => ({ type: "Action.OpenUrl", title: text, url })),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
  };
}

const richText = (inlines: readonly unknown[]) => ({ type: "RichTextBlock", inlines });

/** Cards replace `{{DATE(…)}}` and `{{TIME(…)}}`: a blank of no width keeps such a text as it is. */
const run = (text: string, style: Style = {}) => ({
  type: "TextRun",
  text: text.replaceAll(/\{(?=\{)/g, "{\u200b"),
  ...style,
});
