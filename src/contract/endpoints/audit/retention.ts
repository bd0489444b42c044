/** How many days after they were sealed entries of the audit log are removed. Entries of the newest seal stay longer. */
export const AUDIT_RETENTION_DAYS = 400;
