import * as z from "zod/mini";

import { MemberId } from "#contract/ids.ts";

/** A person as other records name them. `name`: as it was at that time. */
export const MemberReference = z.strictObject({ id: MemberId, name: z.string() });
export type MemberReference = z.infer<typeof MemberReference>;
