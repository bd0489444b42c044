/** The User-Agent of the agent's health checks. The site server lets them through during maintenance and a pause. */
export const HEALTH_CHECK_AGENT = "gantry-health-check";
