"""Decodes a DWARF line number program (versions 2 to 5) into rows, without an object per operation, for speed.

Source: DWARF 5, section 6.2.5. pyelftools reads the header; its own decoding takes about ten times as long.
"""

from __future__ import annotations

from typing import Any

# (address, order in the program, file index, line, whether a statement begins); (address, -1, -1, 0, True) ends a
# sequence.
Row = tuple[int, int, int, int, bool]


def decode(program: Any, *, little_endian: bool) -> list[Row]:
    """Rows of a pyelftools LineProgram in program order. Raises ValueError or IndexError if it is damaged."""
    header = program.header
    program.stream.seek(program.program_start_offset)
    code = program.stream.read(program.program_end_offset - program.program_start_offset)
    machine = _Machine(code, header, "little" if little_endian else "big")
    machine.run()
    return machine.rows


class _Machine:
    def __init__(self, code: bytes, header: Any, byteorder: Any) -> None:
        self.code = code
        self.byteorder = byteorder
        self.step = header["minimum_instruction_length"]
        self.line_base = header["line_base"]
        self.line_range = header["line_range"]
        self.opcode_base = header["opcode_base"]
        self.default_is_statement = bool(header["default_is_stmt"])
        self.lengths = list(header["standard_opcode_lengths"])
        self.at = 0
        self.rows: list[Row] = []
        if self.line_range == 0:
            raise ValueError("debug line program has line_range 0")

    def run(self) -> None:
        code, end = self.code, len(self.code)
        address, file, line, begins = 0, 1, 1, self.default_is_statement
        rows, base, line_base, line_range, step = (
            self.rows,
            self.opcode_base,
            self.line_base,
            self.line_range,
            self.step,
        )
        while self.at < end:
            opcode = code[self.at]
            self.at += 1
            if opcode >= base:
                adjusted = opcode - base
                address += adjusted // line_range * step
                line += line_base + adjusted % line_range
                rows.append((address, len(rows), file, line, begins))
            elif opcode == 0:
                size = self.unsigned()
                next_at = self.at + size
                kind = code[self.at] if size else 0
                if kind == 1:  # DW_LNE_end_sequence
                    rows.append((address, -1, -1, 0, True))
                    address, file, line, begins = 0, 1, 1, self.default_is_statement
                elif kind == 2:  # DW_LNE_set_address
                    address = int.from_bytes(code[self.at + 1 : next_at], self.byteorder)
                self.at = next_at
            elif opcode == 1:  # DW_LNS_copy
                rows.append((address, len(rows), file, line, begins))
            elif opcode == 2:  # DW_LNS_advance_pc
                address += self.unsigned() * step
            elif opcode == 3:  # DW_LNS_advance_line
                line += self.signed()
            elif opcode == 4:  # DW_LNS_set_file
                file = self.unsigned()
            elif opcode == 6:  # DW_LNS_negate_stmt
                begins = not begins
            elif opcode == 8:  # DW_LNS_const_add_pc
                address += (255 - base) // line_range * step
            elif opcode == 9:  # DW_LNS_fixed_advance_pc
                address += int.from_bytes(code[self.at : self.at + 2], self.byteorder)
                self.at += 2
            else:
                for _ in range(self.lengths[opcode - 1]):
                    self.unsigned()

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.code[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self) -> int:
        value = shift = 0
        while True:
            byte = self.code[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if byte & 0x40 else value
