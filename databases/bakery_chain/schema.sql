CREATE TABLE shops (
    shop_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    town TEXT NOT NULL,
    opened_on DATE NOT NULL,
    floor_area_m2 INTEGER NOT NULL
);

CREATE TABLE employees (
    employee_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    shop_id INTEGER NOT NULL REFERENCES shops (shop_id),
    job TEXT NOT NULL,
    hourly_wage_cents INTEGER NOT NULL,
    hired_on DATE NOT NULL,
    supervisor_id INTEGER REFERENCES employees (employee_id)
);

CREATE TABLE suppliers (
    supplier_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL,
    certified_organic INTEGER NOT NULL
);

CREATE TABLE ingredients (
    ingredient_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    supplier_id INTEGER REFERENCES suppliers (supplier_id),
    cents_per_kg INTEGER NOT NULL,
    allergen TEXT
);

CREATE TABLE products (
    product_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    price_cents INTEGER NOT NULL,
    introduced_on DATE NOT NULL,
    retired_on DATE
);

CREATE TABLE recipe_lines (
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    ingredient_id INTEGER NOT NULL REFERENCES ingredients (ingredient_id),
    grams_per_piece INTEGER NOT NULL,
    PRIMARY KEY (product_id, ingredient_id)
);

CREATE TABLE daily_sales (
    shop_id INTEGER NOT NULL REFERENCES shops (shop_id),
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    sold_on DATE NOT NULL,
    baked INTEGER NOT NULL,
    sold INTEGER NOT NULL,
    PRIMARY KEY (shop_id, product_id, sold_on)
);
