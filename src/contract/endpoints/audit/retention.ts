/** Entries of the audit log are kept for so many days after they were sealed, and those of the newest seal for longer. */
export const AUDIT_RETENTION_DAYS = 400;
