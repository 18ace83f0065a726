CREATE TABLE conductors (
    conductor_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    nationality TEXT NOT NULL,
    born_on DATE
);

CREATE TABLE choirs (
    choir_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    home_city TEXT NOT NULL,
    country TEXT NOT NULL,
    voicing TEXT NOT NULL,
    founded_year INTEGER NOT NULL,
    singers INTEGER NOT NULL,
    conductor_id INTEGER REFERENCES conductors (conductor_id)
);

CREATE TABLE pieces (
    piece_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    composer TEXT NOT NULL,
    language TEXT NOT NULL,
    written_year INTEGER,
    duration_seconds INTEGER NOT NULL
);

CREATE TABLE performances (
    performance_id INTEGER PRIMARY KEY,
    choir_id INTEGER NOT NULL REFERENCES choirs (choir_id),
    piece_id INTEGER NOT NULL REFERENCES pieces (piece_id),
    sung_at DATETIME NOT NULL,
    hall TEXT NOT NULL,
    audience INTEGER
);

CREATE TABLE jurors (
    juror_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    specialty TEXT NOT NULL,
    country TEXT NOT NULL
);

CREATE TABLE scores (
    performance_id INTEGER NOT NULL REFERENCES performances (performance_id),
    juror_id INTEGER NOT NULL REFERENCES jurors (juror_id),
    points INTEGER NOT NULL, -- 0 to 100
    PRIMARY KEY (performance_id, juror_id)
);

CREATE TABLE appeals (
    appeal_id INTEGER PRIMARY KEY,
    performance_id INTEGER NOT NULL REFERENCES performances (performance_id),
    filed_at DATETIME NOT NULL,
    reason TEXT NOT NULL,
    upheld INTEGER
);
