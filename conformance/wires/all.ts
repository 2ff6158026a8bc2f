import { v1 } from "../spelling/v1.js";
import { v03 } from "../spelling/v03.js";
import { v03Proto } from "../spelling/v03-proto.js";
import { GrpcWire } from "./grpc.js";
import { JsonRpcWire } from "./json-rpc.js";
import { RestWire } from "./rest.js";
import type { Wire } from "./wire.js";

/** Three bindings in two versions. */
export const WIRES: readonly Wire[] = [
  new JsonRpcWire(v1),
  new RestWire(v1),
  new GrpcWire(v1),
  new JsonRpcWire(v03),
  new RestWire(v03Proto),
  new GrpcWire(v03Proto),
];
