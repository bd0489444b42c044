import type { AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";
import type { OutputServer } from "#cli/session/output-servers.ts";

/** `12:00:03`, in the time zone of the terminal. Creating an Intl.DateTimeFormat takes 20 ms at each start. */
const timeOfDay = (time: number) => new Date(time).toTimeString().slice(0, "00:00:00".length);
const NO_TIME = "–".padEnd("12:00:03".length);

type Shown = { readonly hasTimes: boolean } & Pick<OutputServer, "prefix" | "server">;

/** Prints a line that an instance of an app has printed. */
export function printOutputLine(
  output: Output,
  { instance, message, time }: AppOutputLine,
  { hasTimes, prefix, server }: Shown,
): void {
  const { form, style } = output;
  if (form === "json")
    return output.json({
      type: "line",
      ...server,
      instance,
      message,
      ...(time === undefined ? {} : { time }),
    });
  if (form === "plain")
    return output.line(
      `${hasTimes ? `${printable(time ?? "–")}\t` : ""}${prefix}${instance}\t${printable(message)}`,
    );
  const text = style.dim("x") === "x" ? printable(message) : printableInColour(message);
  const shown = time === undefined || Number.isNaN(Date.parse(time)) ? NO_TIME : timeOfDay(Date.parse(time));
  output.line(`${hasTimes ? `${style.dim(shown)} ` : ""}${prefix}${style.dim(instance)} ${text}`);
}
