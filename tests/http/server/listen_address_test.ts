import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { parseAddress } from "../../../src/http/server/listen_address.ts";

const GOOD: [address: string, hostname: string, port: number][] = [
  ["", "0.0.0.0", 8080],
  [":8080", "0.0.0.0", 8080],
  [":0", "0.0.0.0", 0],
  [":65535", "0.0.0.0", 65535],
  ["8080", "0.0.0.0", 8080],
  ["0", "0.0.0.0", 0],
  ["127.0.0.1:0", "127.0.0.1", 0],
  ["0.0.0.0:80", "0.0.0.0", 80],
  ["localhost:8080", "localhost", 8080],
  ["my-host.example.com:443", "my-host.example.com", 443],
  ["my_host:443", "my_host", 443],
  ["[::1]:80", "::1", 80],
  ["[::]:80", "::", 80],
  ["[fe80::1%eth0]:80", "fe80::1%eth0", 80],
  ["[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80],
];

const BAD: [address: string, why: string][] = [
  ["localhost", 'it has no port; use "localhost:8080", for example'],
  ["localhost:", "the port after the colon is missing"],
  [":", "the port after the colon is missing"],
  [":http", 'port "http" is not a number'],
  [":-1", 'port "-1" is not a number'],
  [":+80", 'port "+80" is not a number'],
  [": 80", 'port " 80" is not a number'],
  [":8e1", 'port "8e1" is not a number'],
  [":65536", 'port "65536" is not between 0 and 65535'],
  ["99999999999999999999", 'port "99999999999999999999" is not between 0 and 65535'],
  ["::1:80", 'an IPv6 host must be in brackets, as in "[::1]:8080"'],
  ["[::1]", 'an IPv6 host must be in brackets, as in "[::1]:8080"'],
  ["[::g]:80", '"::g" is not an IPv6 address'],
  ["[]:80", '"" is not an IPv6 address'],
  ["[localhost]:80", '"localhost" is not an IPv6 address'],
  ["256.1.1.1:80", '"256.1.1.1" is not a host name or an IP address'],
  ["my host:80", '"my host" is not a host name or an IP address'],
  ["me@host:80", '"me@host" is not a host name or an IP address'],
  ["host/path:80", '"host/path" is not a host name or an IP address'],
  ["http://localhost:8080", 'it has a scheme; use only the host and the port, as in "localhost:8080"'],
];

for (const [address, hostname, port] of GOOD) {
  Deno.test(`parseAddress() reads "${address}"`, () => {
    assertEquals(parseAddress(address), { hostname, port });
  });
}

for (const [address, why] of BAD) {
  Deno.test(`parseAddress() rejects "${address}"`, () => {
    const error = assertThrows(() => parseAddress(address), FrameworkError);
    assertEquals(error.message, `Cannot read listen address "${address}": ${why}`);
    assertEquals(error.Code, "FW_ADDRESS");
  });
}
