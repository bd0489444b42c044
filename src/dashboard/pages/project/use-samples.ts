import { useEffect, useState } from "preact/hooks";

import type { Processes } from "#contract/endpoints/processes/schemas.ts";
import { addSamples, type Samples } from "#dashboard/pages/project/samples.ts";

/** Collects what instances use, for as long as the component is shown. */
export function useSamples(processes: Processes | null): Samples {
  const [samples, setSamples] = useState<Samples>(new Map());
  useEffect(() => {
    if (processes !== null) setSamples((before) => addSamples(before, processes));
  }, [processes]);
  return samples;
}
