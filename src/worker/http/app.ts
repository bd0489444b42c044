import { Hono } from "hono";

/** The Worker's router. `requestId` is set before anything else runs. */
export type AppEnv = { Bindings: Env; Variables: { requestId: string } };
export type App = Hono<AppEnv>;

export const createApp = (): App => new Hono<AppEnv>();
