import { fitText } from "#domain/notify/limit-text.ts";
import { levelSymbols, type Message, type MessageLevel } from "#domain/notify/message.ts";
import { withoutBacktick } from "#domain/notify/slack.ts";

/**
 * Limits of an embed, below Discord's: 256 for the title, 4096 for the description, 25 fields with 256 and 1024, and 6000
 * for all together. Source: Discord's API reference, "Embed limits".
 */
const MAX_TITLE = 256;
const MAX_LINE = 1200;
const MAX_LINES = 2;
const MAX_CODE = 400;
const MAX_FIELDS = 6;
const MAX_NAME = 32;
const MAX_VALUE = 340;

const colours = {
  success: 0x2e_a0_43,
  failure: 0xda_36_33,
  warning: 0xd2_99_22,
  info: 0x57_60_6a,
} as const satisfies Record<MessageLevel, number>;

/** A message for a webhook of Discord. Nothing in it can mention anyone. */
export function discordMessage({ level, title, lines, code, fields, links, at }: Message): unknown {
  const [page, ...others] = links;
  const paragraphs = [
    ...lines.slice(0, MAX_LINES).map((line) => fitText(line, MAX_LINE, { write: escaped })),
    ...(code === null ? [] : [`\`\`\`\n${fitText(code, MAX_CODE, { write: withoutBacktick })}\n\`\`\``]),
    ...others.map(({ text, url }) => `[${text}](${url.replaceAll(/[()]/g, encodeURIComponent)})`),
  ];
  return {
    embeds: [
      {
        title: fitText(`${levelSymbols[level]} ${title}`, MAX_TITLE, { write: escaped }),
        url: page.url,
        description: paragraphs.join("\n"),
        color: colours[level],
        fields: fields.slice(0, MAX_FIELDS).map(({ name, value }) => ({
          name: fitText(name, MAX_NAME),
          value: fitText(value, MAX_VALUE, { write: escaped }),
          inline: true,
        })),
        timestamp: at,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Escapes the characters with a meaning in Discord's Markdown; `:` also begins an emoji and ends the scheme of a link. */
function escaped(character: string): string {
  return /[\\`*_~|<>[\]()@:#-]/.test(character) ? `\\${character}` : character;
}
