/** The whole database, not limited to an account. Only files in this folder run statements on it. */
export type Database = D1Database;
