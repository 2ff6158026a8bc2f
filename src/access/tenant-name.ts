/**
 * What may be the name of a tenant: the same that a configuration takes. Without a slash and a colon, so that it is never
 * what stands for the tenant of somebody who belongs to none.
 */
export const TENANT_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
