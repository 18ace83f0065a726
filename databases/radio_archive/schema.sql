CREATE TABLE programmes (
    programme_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    genre TEXT NOT NULL,
    first_aired_on DATE NOT NULL,
    last_aired_on DATE
);

CREATE TABLE presenters (
    presenter_id INTEGER PRIMARY KEY,
    stage_name TEXT NOT NULL UNIQUE,
    birth_name TEXT,
    born_year INTEGER,
    hometown TEXT NOT NULL
);

CREATE TABLE episodes (
    episode_id INTEGER PRIMARY KEY,
    programme_id INTEGER NOT NULL REFERENCES programmes (programme_id),
    presenter_id INTEGER NOT NULL REFERENCES presenters (presenter_id),
    aired_on DATE NOT NULL,
    minutes INTEGER NOT NULL,
    synopsis TEXT
);

CREATE TABLE tapes (
    barcode BIGINT PRIMARY KEY,
    episode_id INTEGER REFERENCES episodes (episode_id),
    format TEXT NOT NULL,
    shelf TEXT NOT NULL,
    condition_grade INTEGER NOT NULL, -- 1 pristine to 5 unplayable
    digitised_on DATE,
    fingerprint BLOB -- of the digitised audio
);

CREATE TABLE research_visits (
    visit_id INTEGER PRIMARY KEY,
    barcode BIGINT NOT NULL REFERENCES tapes (barcode),
    visitor TEXT NOT NULL,
    visited_on DATE NOT NULL,
    purpose TEXT
);
