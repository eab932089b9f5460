/// Writes the rows of a COPY in binary format. Valid only inside the closure that receives it.
public struct CopyWriter {
    /// Large enough to keep the network busy, small enough to save memory.
    private static let pieceSize = 64 * 1024

    private let send: ([UInt8]) throws -> Void
    @usableFromInline var buffer: [UInt8] = []

    init(_ send: @escaping ([UInt8]) throws -> Void) {
        self.send = send
        buffer.reserveCapacity(Self.pieceSize + 1024)
        // The signature: PGCOPY, and bytes that reveal converted newlines or a stripped eighth bit.
        buffer.append(contentsOf: "PGCOPY\n".utf8)
        buffer.append(contentsOf: [0xff, 0x0d, 0x0a, 0x00])
        buffer.appendBigEndian(Int32(0))  // flags
        buffer.appendBigEndian(Int32(0))  // length of the header's extension
    }

    /// Adds a row. The types must match the columns exactly: a binary COPY converts nothing.
    ///
    /// - Parameter value: One value for each column, in the order of the COPY.
    /// - Throws: ``PostgresError`` if a value cannot be sent or the connection is lost; `CancellationError` if the task
    ///   is cancelled. Rethrow it, so that the COPY is aborted.
    @inlinable
    public mutating func append<each Value: PostgresEncodable>(_ value: repeat each Value) throws {
        try appendRow { fields in
            for value in repeat each value { try fields.append(value) }
        }
    }

    /// Adds a row whose fields come one by one, in the order of the COPY; otherwise like ``append(_:)``.
    @inlinable
    public mutating func appendRow(_ write: (inout CopyFields) throws -> Void) throws {
        let start = buffer.count
        buffer.appendBigEndian(Int16(0))
        var fields = CopyFields()
        swap(&fields.buffer, &buffer)
        do {
            defer { swap(&fields.buffer, &buffer) }
            try write(&fields)
        } catch {
            // Never send half a row, even if the caller swallows the error.
            buffer.removeSubrange(start...)
            throw error
        }
        // A table has at most 1,600 columns, so the count fits 16 bits.
        buffer[start] = UInt8(truncatingIfNeeded: fields.count >> 8)
        buffer[start + 1] = UInt8(truncatingIfNeeded: fields.count)
        try flushIfLong()
    }

    /// Sends the trailer and the rest of the buffer.
    mutating func finish() throws {
        buffer.appendBigEndian(Int16(-1))
        try flush()
    }

    @usableFromInline
    mutating func flushIfLong() throws {
        if buffer.count >= Self.pieceSize { try flush() }
    }

    private mutating func flush() throws {
        try Task.checkCancellation()
        try send(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The fields of one row of a COPY. Valid only inside the closure that receives it.
public struct CopyFields {
    @usableFromInline var buffer: [UInt8] = []
    @usableFromInline var count = 0

    @usableFromInline init() {}

    /// Adds the next field.
    @inlinable
    public mutating func append(_ value: some PostgresEncodable) throws {
        count += 1
        try buffer.appendCheckedField(value, number: count)
    }
}
