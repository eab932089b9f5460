import CherishCore

/// What is wrong with one value of a request.
struct InvalidValue: Error, Sendable, Equatable {
    enum Reason: Sendable, Equatable {
        case missing(String)
        case unknownName
        case notText
        case hasNUL
        case notANumber
        case notADecimal
        case notABoolean
        case notAnID
        case notADay
        case notAnInstant
        case notAChoice(of: [String])
        case notAList
        case notAnObject
        /// It is removed here, and changed elsewhere.
        case notNull
        case notACursor
        case notColumns
        case notLines
        /// Text with another number of characters.
        case length(ClosedRange<Int>)
        /// A list with more items.
        case tooMany(limit: Int)
        /// A number outside a range, with the code of the rule that sets it.
        case range(ClosedRange<Int>, code: String)
        /// An alert of another form than those of rule 10.4.
        case notAnAlert
        case refused(CareError)
        case refusedThing(ThingError)
        case refusedList(ShoppingListError)
    }

    /// Where it is: a JSON pointer (RFC 6901), or `?name` for a parameter of the query.
    let pointer: String
    let reason: Reason

    init(_ reason: Reason, at pointer: String = "") {
        (self.pointer, self.reason) = (pointer, reason)
    }

    /// The same in something larger.
    ///
    /// - Parameter prefix: where that is.
    func within(_ prefix: String) -> InvalidValue { InvalidValue(reason, at: prefix + pointer) }

    var code: String {
        switch reason {
        case .missing: "missing"
        case .unknownName: "unknown_name"
        case .notText, .hasNUL: "not_text"
        case .notANumber, .notADecimal: "not_a_number"
        case .notABoolean: "not_a_boolean"
        case .notAnID: "not_an_id"
        case .notADay: "not_a_day"
        case .notAnInstant: "not_an_instant"
        case .notAChoice: "not_a_choice"
        case .notAList: "not_a_list"
        case .notAnObject: "not_an_object"
        case .notNull: "not_null"
        case .notACursor: "invalid_cursor"
        case .notColumns: "invalid_columns"
        case .notLines: "invalid_rows"
        case .length, .tooMany: "length"
        case .range(_, let code): code
        case .notAnAlert: "invalid_alert"
        case .refused(let error): error.code
        case .refusedThing(let error): error.code
        case .refusedList(let error): error.code
        }
    }

    /// What is wrong, or what to write instead.
    func detail(in language: Language) -> String {
        switch language {
        case .english: english
        case .korean: korean
        }
    }

    private var english: String {
        switch reason {
        case .missing(let name): "\(name) is missing; it is required"
        case .unknownName: "there is no value of this name here"
        case .notText: "write text in quotation marks"
        case .hasNUL: "leave out the character NUL"
        case .notANumber: "write a whole number"
        case .notADecimal: "write a number like 37.5665"
        case .notABoolean: "write true or false"
        case .notAnID: "write a UUID"
        case .notADay: "write a day like 2027-03-02"
        case .notAnInstant: "write an instant like 2027-03-02T00:00:00Z"
        case .notAChoice(let words): "write one of \(words.joined(separator: ", "))"
        case .notAList: "write a list in square brackets"
        case .notAnObject: "write an object in curly brackets"
        case .notNull: "write null to remove it; another route changes it"
        case .notACursor: "take it from next of the page before"
        case .notColumns: "write fields and titles like name=성함,phone=연락처; docs/command-line.md has the fields"
        case .notLines: "write lines of the file like 3,7,10-25"
        case .length(let range): "write \(range.lowerBound) to \(range.upperBound) characters"
        case .tooMany(let limit): "write at most \(limit)"
        case .range(let range, _): "write a number from \(range.lowerBound) to \(range.upperBound)"
        case .notAnAlert: "write daysBefore and perhaps time, or minutesBefore alone"
        case .refused(let error): error.description
        case .refusedThing(let error): error.description
        case .refusedList(let error): error.description
        }
    }

    private var korean: String {
        switch reason {
        case .missing(let name): "\(name) 값이 없어요. 꼭 필요해요."
        case .unknownName: "여기에는 이 이름의 값이 없어요."
        case .notText: "글자를 따옴표로 감싸 써 주세요."
        case .hasNUL: "NUL 문자를 빼 주세요."
        case .notANumber: "정수를 써 주세요."
        case .notADecimal: "수를 37.5665처럼 써 주세요."
        case .notABoolean: "true나 false를 써 주세요."
        case .notAnID: "UUID를 써 주세요."
        case .notADay: "날짜를 2027-03-02처럼 써 주세요."
        case .notAnInstant: "시각을 2027-03-02T00:00:00Z처럼 써 주세요."
        case .notAChoice(let words): "\(words.joined(separator: ", ")) 중 하나를 써 주세요."
        case .notAList: "목록을 대괄호로 감싸 써 주세요."
        case .notAnObject: "객체를 중괄호로 감싸 써 주세요."
        case .notNull: "지우려면 null을 써 주세요. 바꾸는 경로는 따로 있어요."
        case .notACursor: "앞 페이지의 next 값을 그대로 써 주세요."
        case .notColumns: "항목과 열 제목을 name=성함,phone=연락처처럼 써 주세요."
        case .notLines: "파일의 줄 번호를 3,7,10-25처럼 써 주세요."
        case .length(let range): "\(range.lowerBound)~\(range.upperBound)자로 써 주세요."
        case .tooMany(let limit): "\(limit)개까지 쓸 수 있어요."
        case .range(let range, _): "\(range.lowerBound)부터 \(range.upperBound)까지의 수를 써 주세요."
        case .notAnAlert: "daysBefore(와 time)나 minutesBefore 하나만 써 주세요."
        case .refused(let error): "\(error.korean.problem) \(error.korean.remedy)"
        case .refusedThing(let error): "\(error.korean.problem) \(error.korean.remedy)"
        case .refusedList(let error): "\(error.korean.problem) \(error.korean.remedy)"
        }
    }
}

/// Several values of a request are wrong.
struct InvalidRequest: Error, Sendable {
    let problems: [InvalidValue]
}
