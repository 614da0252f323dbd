/**
 * For tests only: self-signed, for two names that lead to this machine or nowhere. Its key is public, because it is
 * here.
 */
export const testCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBhDCCASmgAwIBAgIUS9bQH6yv5WoqvoWqfsMVrnYhxRwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQy8vpRgpV/OD0zFWB0XWFdKlXIpe/n7jeOyvJyEW7he2DfVmZL9BSf
6GPcEc3Dm4fX6AH+pP4bTJufDn87lzafo1cwVTAdBgNVHQ4EFgQUTXGIyOX/luE2
dpaGbdEBX1nVBKQwDwYDVR0TAQH/BAUwAwEB/zAjBgNVHREEHDAagglsb2NhbGhv
c3SCDXJlZ2lzdHJ5LnRlc3QwCgYIKoZIzj0EAwIDSQAwRgIhANJANz+RhtB1ZzXk
RhnVPLAKI9uhL4CfuFpl1X0GtG5OAiEAnzc3E3r68BS2FJBcAOWBcjmcszPRQqY+
1gDQykuBFR0=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgM+fycgj/g3LlFkfv
eBc9JGKo9lKA/U/OzEutGpo9IWWhRANCAAQy8vpRgpV/OD0zFWB0XWFdKlXIpe/n
7jeOyvJyEW7he2DfVmZL9BSf6GPcEc3Dm4fX6AH+pP4bTJufDn87lzaf
-----END PRIVATE KEY-----
`,
}
