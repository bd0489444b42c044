/** A sample of a metric, as Prometheus reads it. */
export type ReadSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=[a-zA-Z_])|$)/gy;
const unescaped: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let end = 0;
  for (const [pair, name = "", value = ""] of text.matchAll(LABEL)) {
    if (name in labels) throw new Error(`duplicate label ${name}: ${text}`);
    labels[name] = value.replaceAll(/\\["\\n]/g, (escape) => unescaped[escape] ?? escape);
    end += pair.length;
  }
  if (end !== text.length) throw new Error(`not labels: ${text}`);
  return labels;
}

/**
 * Reads Prometheus' text format 0.0.4 strictly: each metric has its help, its type and then all of its samples, and no
 * sample occurs twice. @throws at the first line that is wrong
 */
export function readExposition(text: string): ReadSample[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no line break");
  const samples: ReadSample[] = [];
  const seen = new Set<string>();
  let metric: { readonly name: string; hasType: boolean } | null = null;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, help] = /^# HELP ([a-z][a-z0-9_]*) \S.*$/.exec(line) ?? [];
    const [, typed] = /^# TYPE ([a-z][a-z0-9_]*) (?:gauge|counter)$/.exec(line) ?? [];
    if (help !== undefined) {
      if (seen.has(line)) throw new Error(`duplicate: ${line}`);
      seen.add(line);
      metric = { name: help, hasType: false };
    } else if (typed !== undefined) {
      if (metric?.name !== typed || metric.hasType)
        throw new Error(`the type does not follow its help: ${line}`);
      metric.hasType = true;
    } else {
      const [, name, labels = "", value] =
        /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)$/.exec(line) ?? [];
      if (name === undefined || metric?.name !== name || !metric.hasType)
        throw new Error(`not a sample: ${line}`);
      const series = line.slice(0, line.lastIndexOf(" "));
      if (seen.has(series)) throw new Error(`duplicate: ${line}`);
      seen.add(series);
      samples.push({ name, labels: readLabels(labels), value: Number(value?.replace("Inf", "Infinity")) });
    }
  }
  return samples;
}
