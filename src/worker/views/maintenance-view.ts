import type { Maintenance, MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** @returns null while it is off */
export function maintenanceView(state: MaintenanceState | null): Maintenance | null {
  return state?.on === true ? { message: state.message, started_at: timestamp(state.revision) } : null;
}
