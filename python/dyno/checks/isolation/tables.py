"""The nine tables of `tpcc`, for data sets that are made here. The workload's own load creates its
own, with the same names and types.
"""

from __future__ import annotations

_DISTS = ", ".join(f"s_dist_{number:02} CHAR(24) NOT NULL" for number in range(1, 11))


def _address(prefix: str) -> str:
    return (
        f"{prefix}_street_1 VARCHAR(20) NOT NULL, {prefix}_street_2 VARCHAR(20) NOT NULL, "
        f"{prefix}_city VARCHAR(20) NOT NULL, {prefix}_state CHAR(2) NOT NULL, "
        f"{prefix}_zip CHAR(9) NOT NULL"
    )


TABLES = {
    "item": "i_id INT NOT NULL PRIMARY KEY, i_im_id INT NOT NULL, i_name VARCHAR(24) NOT NULL, "
    "i_price DECIMAL(5,2) NOT NULL, i_data VARCHAR(50) NOT NULL",
    "warehouse": "w_id INT NOT NULL PRIMARY KEY, w_name VARCHAR(10) NOT NULL, "
    f"{_address('w')}, w_tax DECIMAL(4,4) NOT NULL, w_ytd DECIMAL(15,2) NOT NULL",
    "district": "d_id TINYINT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10) NOT NULL, "
    f"{_address('d')}, d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(15,2) NOT NULL, "
    "d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id)",
    "customer": "c_id INT NOT NULL, c_d_id TINYINT NOT NULL, c_w_id INT NOT NULL, "
    "c_first VARCHAR(16) NOT NULL, c_middle CHAR(2) NOT NULL, c_last VARCHAR(16) NOT NULL, "
    f"{_address('c')}, c_phone CHAR(16) NOT NULL, c_since DATETIME NOT NULL, "
    "c_credit CHAR(2) NOT NULL, c_credit_lim DECIMAL(15,2) NOT NULL, "
    "c_discount DECIMAL(4,4) NOT NULL, c_balance DECIMAL(15,2) NOT NULL, "
    "c_ytd_payment DECIMAL(15,2) NOT NULL, c_payment_cnt INT NOT NULL, "
    "c_delivery_cnt INT NOT NULL, c_data VARCHAR(500) NOT NULL, "
    "PRIMARY KEY (c_w_id, c_d_id, c_id), KEY customer_name (c_w_id, c_d_id, c_last, c_first)",
    "history": "h_c_id INT NOT NULL, h_c_d_id TINYINT NOT NULL, h_c_w_id INT NOT NULL, "
    "h_d_id TINYINT NOT NULL, h_w_id INT NOT NULL, h_date DATETIME NOT NULL, "
    "h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24) NOT NULL",
    "stock": "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity SMALLINT NOT NULL, "
    f"{_DISTS}, s_ytd INT NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL, "
    "s_data VARCHAR(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id)",
    "orders": "o_id INT NOT NULL, o_d_id TINYINT NOT NULL, o_w_id INT NOT NULL, "
    "o_c_id INT NOT NULL, o_entry_d DATETIME NOT NULL, o_carrier_id TINYINT NULL, "
    "o_ol_cnt TINYINT NOT NULL, o_all_local TINYINT NOT NULL, "
    "PRIMARY KEY (o_w_id, o_d_id, o_id), KEY orders_customer (o_w_id, o_d_id, o_c_id, o_id)",
    "new_orders": "no_o_id INT NOT NULL, no_d_id TINYINT NOT NULL, no_w_id INT NOT NULL, "
    "PRIMARY KEY (no_w_id, no_d_id, no_o_id)",
    "order_line": "ol_o_id INT NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id INT NOT NULL, "
    "ol_number TINYINT NOT NULL, ol_i_id INT NOT NULL, ol_supply_w_id INT NOT NULL, "
    "ol_delivery_d DATETIME NULL, ol_quantity TINYINT NOT NULL, ol_amount DECIMAL(6,2) NOT NULL, "
    "ol_dist_info CHAR(24) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)",
}
