/** Where load balancers ask a server whether it takes requests, with any Host. */
export const READY_PATH = "/.well-known/gantry/ready";
