import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";

/** The longest answer: a code and the state. Some providers send codes of kilobytes. */
const MAX_QUERY = 8_192;

/** What a provider sent back. `query`: of the callback's address. `binding`: the secret of the tab that has started. */
export const ProviderAnswer = z.strictObject({
  query: textBetween(1, MAX_QUERY),
  binding: textBetween(1, 200),
});
export type ProviderAnswer = z.infer<typeof ProviderAnswer>;
