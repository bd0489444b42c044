import type { Disk } from "#contract/endpoints/servers/schemas.ts";

const LEAST_FREE_SHARE = 0.05;
const LEAST_FREE_BYTES = 1024 ** 3;

/** Whether a disk has so little space left that deployments may soon fail. */
export function isNearlyFull({ total_bytes, free_bytes }: Disk): boolean {
  return free_bytes < LEAST_FREE_BYTES || free_bytes < total_bytes * LEAST_FREE_SHARE;
}
