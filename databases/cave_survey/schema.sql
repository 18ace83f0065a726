CREATE TABLE regions (
    region_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rock TEXT NOT NULL,
    permit_required INTEGER NOT NULL -- 1 yes, 0 no
);

CREATE TABLE caves (
    cave_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    region_id INTEGER NOT NULL REFERENCES regions (region_id),
    length_m INTEGER NOT NULL,
    depth_m INTEGER NOT NULL,
    discovered_year INTEGER,
    entrance_altitude_m INTEGER NOT NULL
);

CREATE TABLE cavers (
    caver_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    club TEXT,
    joined_year INTEGER NOT NULL,
    is_diver INTEGER NOT NULL
);

CREATE TABLE expeditions (
    expedition_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    leader_id INTEGER NOT NULL REFERENCES cavers (caver_id),
    started_on DATE NOT NULL,
    ended_on DATE,
    budget_euros INTEGER NOT NULL
);

CREATE TABLE surveys (
    survey_id INTEGER PRIMARY KEY,
    expedition_id INTEGER NOT NULL REFERENCES expeditions (expedition_id),
    cave_id INTEGER NOT NULL REFERENCES caves (cave_id),
    metres_mapped INTEGER NOT NULL,
    stations INTEGER NOT NULL,
    notes TEXT
);

CREATE TABLE bat_counts (
    count_id INTEGER PRIMARY KEY,
    cave_id INTEGER NOT NULL REFERENCES caves (cave_id),
    species TEXT NOT NULL,
    counted_on DATE NOT NULL,
    individuals INTEGER -- empty when the roost could not be reached
);
