// Original file: proto/sqlenv/v1/environment_service.proto


/**
 * Asks what the server is.
 */
export interface GetInfoRequest {
}

/**
 * Asks what the server is.
 */
export interface GetInfoRequest__Output {
}
