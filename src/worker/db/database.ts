/** The whole database, without an account: only files in this folder know what to do with it. */
export type Database = D1Database;
