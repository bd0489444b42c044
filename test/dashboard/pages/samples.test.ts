import { describe, expect, it } from "vitest";

import { addSamples, MOST_SAMPLES, pointsOf, type Samples } from "#dashboard/pages/project/samples.ts";
import { instanceReport, processReport } from "../../support/process-reports.ts";

const look = (cpu: number | null, name = "web-7-0") => ({
  checked_at: null,
  ingress_problem: null,
  sources: {},
  processes: [
    processReport("web", { instances: [instanceReport(name, { cpu_percent: cpu, memory_bytes: 1 })] }),
  ],
});

describe("the samples of instances", () => {
  it("are the last two minutes of each instance, the newest last", () => {
    let samples: Samples = new Map();
    for (let cpu = 1; cpu <= MOST_SAMPLES + 5; cpu += 1) samples = addSamples(samples, look(cpu));
    const of = samples.get("web-7-0") ?? [];
    expect(of).toHaveLength(MOST_SAMPLES);
    expect(of.at(0)?.cpu).toBe(6);
    expect(of.at(-1)?.cpu).toBe(MOST_SAMPLES + 5);
  });

  it("of an instance that is gone are dropped", () => {
    const samples = addSamples(addSamples(new Map(), look(1)), look(2, "web-8-0"));
    expect([...samples.keys()]).toEqual(["web-8-0"]);
  });
});

describe("the line of a chart", () => {
  it("ends at the right with the newest value, and is as high as the value", () => {
    expect(pointsOf([100, 0], 100)).toBe("58.5,1.0 60.0,17.0");
  });

  it("leaves out unknown values, and stays inside the chart", () => {
    expect(pointsOf([null, 300], 100)).toBe("60.0,1.0");
    expect(pointsOf([], 100)).toBe("");
  });
});
