/** Functions of this SQLite, by what the authorizer says to them. */
export const FUNCTIONS: {
  readonly allowed: readonly string[];
  readonly refused: readonly string[];
} = {
  allowed: words(`
    -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat
    concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime
    degrees dense_rank exp first_value floor format glob group_concat hex if ifnull iif instr json
    json_array json_array_insert json_array_length json_error_position json_extract
    json_group_array json_group_object json_insert json_object json_quote json_remove json_replace
    json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract
    jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_remove jsonb_replace
    jsonb_set julianday lag last_value lead length like likelihood likely ln log log10 log2 lower
    ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote
    radians random randomblob rank replace round row_number rtrim sign sin sinh soundex
    sqlite_version sqrt strftime string_agg substr substring subtype sum tan tanh time timediff
    total trim trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper zeroblob
  `),
  // They touch more than their arguments, tell of the build or the connection, or take unbounded time in one step.
  refused: words(`
    bm25 changes fts3_tokenizer fts5 fts5_get_locale fts5_insttoken fts5_locale fts5_source_id
    geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_debug
    geopoly_group_bbox geopoly_json geopoly_overlap geopoly_regular geopoly_svg geopoly_within
    geopoly_xform highlight json_patch json_pretty jsonb_patch last_insert_rowid load_extension
    match matchinfo median offsets optimize percentile percentile_cont percentile_disc rtreecheck
    rtreedepth rtreenode snippet sqlite_compileoption_get sqlite_compileoption_used sqlite_log
    sqlite_source_id total_changes
  `),
};

/** PRAGMAs that read the schema and change nothing. */
export const PRAGMAS_ALLOWED: readonly string[] = words(
  'foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo',
);

/** Virtual tables of this SQLite, by what reading from them gives. */
export const MODULES: Readonly<
  Record<string, 'ok' | 'forbidden' | 'sql_error' | 'no table by itself'>
> = {
  dbstat: 'forbidden',
  fts3: 'no table by itself',
  fts3tokenize: 'forbidden',
  fts4: 'no table by itself',
  fts4aux: 'sql_error',
  fts5: 'no table by itself',
  fts5vocab: 'no table by itself',
  geopoly: 'no table by itself',
  json_each: 'ok',
  json_tree: 'ok',
  rtree: 'no table by itself',
  rtree_i32: 'no table by itself',
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
