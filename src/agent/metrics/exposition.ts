/** The media type of the text format that Prometheus reads. Source: Prometheus, "Exposition formats". */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

export type Sample = { readonly labels: Labels; readonly value: number };

/** A metric with all its samples. */
export type Metric = {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
};

/** Writes metrics in the text format of Prometheus. Leaves out metrics without samples. */
export function expositionOf(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [
        `# HELP ${name} ${escapeText(help)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}`),
      ].join("\n"),
    )
    .map((text) => `${text}\n`)
    .join("");
}

function labelText(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}

const escapeText = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

const escapeLabel = (text: string) => escapeText(text).replaceAll('"', '\\"');

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);
}
