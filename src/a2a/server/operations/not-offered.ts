import { NuncioError } from "../../../shared/errors.js";
import { pushNotSupported } from "../../protocol/refuse-push.js";
import type { Operation } from "./operation.js";

export const listNotOffered: Operation = async () => {
  throw new NuncioError("unsupported", "listing tasks is not supported", { reason: "UNSUPPORTED_OPERATION" });
};

export const pushNotOffered: Operation = async () => {
  throw pushNotSupported();
};
